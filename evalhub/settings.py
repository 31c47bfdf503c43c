"""Django's settings, read top to bottom; every choice of the operator comes from `config`."""

from typing import Any

import environ
from csp.constants import NONCE, NONE, SELF
from django.templatetags.static import static

from . import openapi
from .config import CHECKOUT, load, prepare
from .desk import argilla_of
from .logs import logging_at
from .signing import signing_key

config = load()
prepare(config)
BASE_DIR = CHECKOUT
DATA_DIR = config.data_dir

# -- the application ------------------------------------------------------------------------

DEBUG = config.debug
SECRET_KEY = signing_key(config)
ALLOWED_HOSTS = [*config.allowed_hosts, config.host, "localhost", "127.0.0.1", "[::1]"]
reached_at = (config.base_url, config.argilla.callback_url)
ALLOWED_HOSTS += [url.host for url in reached_at if url and url.host]
BASE_URL = str(config.base_url or "").rstrip("/")  # of links in what leaves the house
ROOT_URLCONF = "evalhub.urls"
WSGI_APPLICATION = "evalhub.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
LANGUAGE_CODE = "en"

INSTALLED_APPS = [
    "evalhub",
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "axes",
    "csp",
    "django_cotton",
    "django_htmx",
    "django_q",
    "drf_spectacular",
    "rest_framework",
    "apps.web",
    "apps.jobs",
    "apps.accounts",
    "apps.artifacts",
    "apps.targets",
    "apps.grading",
    "apps.datasets",
    "apps.traces",
    "apps.runs",
    "apps.labeling",
    "apps.analysis",
    "apps.dashboards",
]

MIDDLEWARE = [
    "apps.web.middleware.request_id",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "apps.web.middleware.admin_policy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "apps.accounts.context.people",
            ],
        },
    }
]
COTTON_DIR = "cotton"

# -- where things are kept ------------------------------------------------------------------

DATABASES: dict[str, Any] = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "evalhub.sqlite3",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;"
                "PRAGMA cache_size=-20000; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=134217728;"
            ),
        },
    }
}
if config.database_url:
    DATABASES["default"] = {
        **environ.Env.db_url_config(config.database_url.get_secret_value()),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }

CACHES: dict[str, Any] = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
if config.cache_url:
    CACHES["default"] = environ.Env.cache_url_config(config.cache_url.get_secret_value())

FILES_DIR = DATA_DIR / "files"
RETENTION_RAW_DAYS = config.retention_raw_days
RETENTION_SUMMARY_DAYS = config.retention_summary_days
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "tmp"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True)
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_NUMBER_FILES = 501

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# -- people ---------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "accounts:sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "accounts:sign-in"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # the time we name is the time
AXES_LOCKOUT_CALLABLE = "apps.accounts.views.locked_out"
AXES_VERBOSE = False

DEFAULT_FROM_EMAIL = config.email_from
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
if config.email_url:
    vars().update(environ.Env.email_url_config(config.email_url.get_secret_value()))

# -- background work (docs/decisions: the database is the queue) ------------------------------

LEASE_SECONDS = config.lease_seconds
# A chunk lets go of what it asks after 700 s (apps.runs.working.chunks): a task ends in time.
Q_CLUSTER: dict[str, Any] = {
    "name": "evalhub",
    "orm": "default",
    "workers": config.workers,
    "queue_limit": config.workers,
    "bulk": 1,
    "timeout": 900,
    "retry": 1200,
    "ack_failures": True,
    "max_attempts": 5,
    "save_limit": -1,
    "recycle": 100,
    "poll": 0.2,
    "catch_up": False,
    "scheduler": False,
    "ALT_CLUSTERS": {"long": {"workers": 1, "queue_limit": 1, "timeout": 3600, "retry": 4000}},
}

# -- the labelling desk -----------------------------------------------------------------------

ARGILLA = argilla_of(config)

# -- security -------------------------------------------------------------------------------

HTTPS = config.base_url is not None and config.base_url.scheme == "https"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health$", r"^desk/webhook$"]  # asked on this machine, by http
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
CSRF_TRUSTED_ORIGINS = [str(config.base_url).rstrip("/")] if config.base_url else []
CONTENT_SECURITY_POLICY = {
    "EXCLUDE_URL_PREFIXES": ["/admin/"],  # the admin has its own: apps.web.middleware
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

# -- the API --------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.accounts.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["apps.accounts.authorisation.RolePermission"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["apps.web.parsing.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["apps.accounts.throttling.PerMinuteThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "600/min"},
    "EXCEPTION_HANDLER": "apps.web.errors.envelope",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "URL_FORMAT_OVERRIDE": None,  # ?format= names a dataset format
}
SPECTACULAR_SETTINGS = openapi.SETTINGS

# -- the admin ------------------------------------------------------------------------------

UNFOLD = {
    "SITE_TITLE": "EvalHub admin",
    "SITE_HEADER": "EvalHub",
    "SITE_URL": "/",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda _: static("img/mark.svg")}
    ],
}

# -- logging --------------------------------------------------------------------------------

LOGGING = logging_at(config.log_level)
