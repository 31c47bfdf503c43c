"""A worker that asks for its share of a target's pace: `python -m tests.targets.granting ID N`."""

import sys

import django


def main(target_id: str, times: str) -> None:
    from apps.targets import services

    for _ in range(int(times)):
        start = services.grant(target_id, calls=5, per_minute=6000)
        sys.stdout.write(f"{start.timestamp():.6f}\n")


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
