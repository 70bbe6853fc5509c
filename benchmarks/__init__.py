"""Measurements that `./dev bench` and single scripts run; no part of the package."""
