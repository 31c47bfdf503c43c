"""Pages of datasets: the list, uploading, reports, versions and their records."""
