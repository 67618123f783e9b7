#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/settings.md from what the built programs print with --help and --print-config; --check only compares.

The folder of the programs is the argument, or build/dev/bin.
"""

import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/settings.md"
PROGRAMS = {"xebec-watcher": "watcher.config", "xebec-planner": "planner.config", "xebec-applier": "applier.config",
            "xebec-hooks": "hooks.config", "xebec-certs": ""}
# {program: {setting: the value of the chart that sets it}}; only settings for which both have a default.
FROM_THE_CHART = {
    "xebec-watcher": {"drainTimeout": "watcher.drainSeconds"},
    "xebec-planner": {"drainTimeout": "planner.drainSeconds", "reflection": "planner.plaintextListener.enabled"},
    "xebec-applier": {"drainTimeout": "applier.drainSeconds"},
    "xebec-hooks": {"drainTimeout": "hooks.drainSeconds"},
    "xebec-certs": {"certDuration": "tls.auto.certDuration", "caDuration": "tls.auto.caDuration"},
}
HEAD = """# Settings

This page lists all settings of the services and of the certificate Job. The command line `xebec` has flags for each
command ([cli.md](cli.md)). `scripts/settings_reference.py` generates this page from `--help` of the programs.

With the chart, put settings into `<service>.config`. The chart itself sets some of them from other values, and rejects
these settings in `<service>.config`; the [chart's README](../charts/xebec/README.md) lists all values.

There are three ways to set a setting. Flags override environment variables, and environment variables override the
file.

| Way | Example |
|---|---|
| flag | `--log-level debug` |
| environment variable | `XEBEC_LOG_LEVEL=debug` |
| YAML file, named by `--config FILE` | `log: {level: debug}` |

Durations have units: `500ms`, `10s`, `1m30s`, `2h`. In flags and environment variables, commas separate the entries of
a list. `--print-config` prints the settings in effect as YAML. A program that finds an unknown setting or a value out
of range does not start, and prints the setting.
"""
_HELP = re.compile(r"^  --([a-z0-9-]+)(?: ([A-Z,]+))?  +(.*?)(?: \(default (.*)\))?$")


def output(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}).stdout


def keys(values, prefix=""):
    """The dotted path of every setting in the YAML text of --print-config."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from keys(value, f"{prefix}{key}.")
        else:
            yield prefix + key


def flag_of(key):
    return re.sub(r"[A-Z]", lambda match: "-" + match[0].lower(), key).replace(".", "-")


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def flags(program):
    """{name: the match of _HELP} of every flag."""
    return {match[1]: match for line in output(program, "--help").splitlines() if (match := _HELP.match(line))}


def table(program):
    known = flags(program)
    yield "| YAML key | Flag | Environment variable | Default | Meaning |\n|---|---|---|---|---|"
    for key in keys(yaml.safe_load(output(program, "--print-config"))):
        name, placeholder, meaning, default = known[flag_of(key)].groups()
        flag = f"--{name}" + (f" {placeholder}" if placeholder else "")
        variable = "XEBEC_" + name.upper().replace("-", "_")
        yield row(f"`{key}`", f"`{flag}`", f"`{variable}`", f"`{default}`" if default else "", meaning)


def chart_default(path):
    """The default of that value of the chart, as a flag takes it."""
    value = yaml.safe_load((ROOT / "charts/xebec/values.yaml").read_text(encoding="utf-8"))
    for name in path.split("."):
        value = value[name]
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value}s" if path.endswith("Seconds") else str(value)


def differences(program):
    """The settings for which the chart has another default than the program."""
    known = flags(program)
    for key, path in FROM_THE_CHART[program.name].items():
        if chart_default(path) != known[flag_of(key)][4]:
            yield f"In the chart, the default of `{key}` is `{chart_default(path)}` (`{path}`)."


def page(folder):
    parts = [HEAD]
    for program, value in PROGRAMS.items():
        summary = output(folder / program, "--help").splitlines()[2]
        chart = f"In the chart: `{value}`." if value else "The chart's certificate Job runs it; `tls.auto` sets what it needs."
        lines = "\n".join([summary, chart, *differences(folder / program)])
        parts.append(f"## {program}\n\n{lines}\n\n" + "\n".join(table(folder / program)) + "\n")
    return "\n".join(parts)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    text = page(pathlib.Path(arguments[0]).resolve() if arguments else ROOT / "build/dev/bin")
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/settings.md does not match the programs: run scripts/settings_reference.py")


if __name__ == "__main__":
    main()
