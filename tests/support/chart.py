# SPDX-License-Identifier: Apache-2.0
"""Renders the chart, and reads what it renders."""

import collections
import functools
import os
import subprocess

import yaml

from support import paths

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
COMPONENTS = ("watcher", "planner", "applier")
HOOKS = {"enabled": True, "parents": [{"group": "example.com", "resource": "websites"}],
         "children": [{"group": "", "resource": "configmaps"}, {"group": "apps", "resource": "deployments", "verbs": ["get", "create", "patch"]}],
         "related": [{"group": "", "resource": "nodes"}]}
NAMESPACE = "xebec-system"

# Values by the name of the snapshot; "files" are presets of the chart.
VARIANTS = {
    "default": {},
    "ha": {"files": ["values-ha.yaml"]},
    "minimal": {"files": ["values-minimal.yaml"]},
    "cert-manager": {"tls": {"mode": "certManager"}},
    "cert-manager-own-issuer": {"tls": {"mode": "certManager", "certManager": {"issuerRef": {"name": "corp", "kind": "ClusterIssuer"}, "allowSharedIssuer": True}}},
    "existing-secret": {"tls": {"mode": "existingSecret", "existingSecret": {name: f"my-{name}" for name in COMPONENTS}}},
    "namespaces": {"watchNamespaces": ["team-a", "team-b"], "kinds": {"database": {"enabled": False}}},
    "recreate": {"defaults": {"strategy": {"type": "Recreate"}}},
    "service-monitor": {"serviceMonitor": {"enabled": True, "interval": "15s"},
                        "prometheusRule": {"enabled": True, "runbookUrl": "https://runbooks.example/xebec"}},
    "hooks": {"hooks": HOOKS | {"credentials": [{"name": "team-a", "secret": "team-a-tls", "hosts": ["*.team-a.svc", "hooks.example.com"]}],
                                "allowedHosts": ["hooks.example.com"], "deniedHosts": ["10.96.0.0/12"], "allowPlaintext": True, "replicas": 2},
              "networkPolicy": {"enabled": True}},
    "hooks-namespaces": {"watchNamespaces": ["team-a"], "hooks": HOOKS},
    "hooks-aggregate": {"hooks": {"enabled": True, "aggregate": True}, "tls": {"mode": "certManager"}},
    "podset-alone": {"kinds": {kind: {"enabled": False} for kind in ("iris", "immortal", "database")}},
    "everything": {
        "files": ["values-ha.yaml"],
        "global": {"imageRegistry": "registry.example"}, "image": {"digest": "sha256:" + "0" * 64}, "ipv6": True,
        "imagePullSecrets": ["pull-me"], "commonLabels": {"team": "a"}, "commonAnnotations": {"owner": "a"},
        "defaults": {"priorityClassName": "high", "hostUsers": False, "tolerations": [{"key": "x", "operator": "Exists"}], "podAnnotations": {"p": "1"}},
        "watcher": {"config": {"deletion": {"budget": 100}, "lease": {"duration": "20s"}}, "affinity": {"podAntiAffinity": {}},
                    "schedulerName": "theirs", "dnsConfig": {"options": [{"name": "ndots", "value": "1"}]},
                    "extraArgs": ["--log-level=debug"], "extraEnv": [{"name": "TZ", "value": "UTC"}],
                    "extraEnvFrom": [{"secretRef": {"name": "variables"}}],
                    "extraVolumes": [{"name": "more", "configMap": {"name": "more"}}], "extraVolumeMounts": [{"name": "more", "mountPath": "/more"}]},
        "planner": {"plaintextListener": {"enabled": True}, "autoscaling": {"enabled": True}},
        "applier": {"config": {"maxDeletions": 10}, "podDisruptionBudget": {"minAvailable": 1}},
        "podMonitor": {"enabled": True, "interval": "15s"}, "prometheusRule": {"enabled": True}, "grafanaDashboard": {"enabled": True},
        "networkPolicy": {"enabled": True, "metricsFrom": [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}]},
        "clusterDomain": "corp.example", "tls": {"trustDomain": "corp.example"},
        "extraObjects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-extra"}}],
    },
}


def helm(*arguments, values=None, version=3):
    """Runs Helm 3 or 4; `values` go to its standard input."""
    command = [paths.chart_tool(f"helm{version}"), *map(str, arguments), *(["-f", "-"] if values is not None else [])]
    # helm runs for a tenth of a second; garbage collection is a quarter of that.
    return subprocess.run(command, input=yaml.safe_dump(values) if values is not None else None, capture_output=True, text=True, check=False,
                          env=os.environ | {"GOGC": "off"})


def _with_chart(*command, values=None, version=3):
    """`values`: of VARIANTS' form."""
    values = dict(values or {})
    presets = [argument for name in values.pop("files", []) for argument in ("-f", paths.CHART / name)]
    return helm(*command, paths.CHART, *presets, values=values, version=version)


def template(values=None, release="xebec", namespace=NAMESPACE, version=3):
    return _with_chart("template", "--namespace", namespace, release, values=values, version=version)


def lint(values, version=3):
    return _with_chart("lint", "--strict", "--quiet", values=values, version=version)


def render_text(values=None, **how):
    done = template(values, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


def notes(values=None):
    """What Helm shows after an installation. Helm 3 would need a cluster for this."""
    done = _with_chart("install", "--dry-run=client", "--namespace", NAMESPACE, "xebec", values=values, version=4)
    assert done.returncode == 0, done.stderr
    return done.stdout.partition("\nNOTES:\n")[2]


def parse(text):
    return [document for document in yaml.load_all(text, Loader=_LOADER) if document]


def render(values=None, **how):
    return parse(render_text(values, **how))


@functools.cache
def variant_text(name):
    return render_text(VARIANTS[name])


def refusal(values, **how):
    """The error of Helm for invalid values."""
    done = template(values, **how)
    assert done.returncode != 0, f"was not refused: {values}"
    return done.stderr


def of_kind(documents, *kinds):
    return [document for document in documents if document["kind"] in kinds]


def named(documents, kind, name):
    """The one object of that kind and name."""
    found = [document for document in of_kind(documents, kind) if document["metadata"]["name"] == name]
    assert len(found) == 1, f"{len(found)} {kind} {name}: there are " + ", ".join(d["metadata"]["name"] for d in of_kind(documents, kind))
    return found[0]


def pod_templates(documents):
    """{"Deployment/xebec-watcher": its Pod's template}"""
    found = {}
    for document in documents:
        spec = document.get("spec") or {}
        if document["kind"] == "CronJob":
            spec = spec["jobTemplate"]["spec"]
        if document["kind"] in ("Deployment", "Job", "CronJob"):
            found[f'{document["kind"]}/{document["metadata"]["name"]}'] = spec["template"]
    return found


def config(documents, component, fullname="xebec"):
    """The configuration file of a service."""
    return yaml.safe_load(named(documents, "ConfigMap", f"{fullname}-{component}")["data"]["config.yaml"])


# group, resource, name ("" = any), verb
Grant = collections.namedtuple("Grant", "group resource name verb")


def grants(rules):
    return {Grant(group, resource, name, verb) for rule in rules for group in rule["apiGroups"] for resource in rule["resources"]
            for name in rule.get("resourceNames", [""]) for verb in rule["verbs"]}


def roles_of(documents, subject):
    """{namespace ("" = everywhere): grants} of whoever has that name, be it a ServiceAccount or a User."""
    found = collections.defaultdict(set)
    for binding in of_kind(documents, "RoleBinding", "ClusterRoleBinding"):
        if any(each["name"] == subject for each in binding.get("subjects", [])):
            where = binding["metadata"].get("namespace", "")
            role = next(d for d in of_kind(documents, binding["roleRef"]["kind"])
                        if d["metadata"]["name"] == binding["roleRef"]["name"] and d["metadata"].get("namespace", "") == where)
            found[where] |= grants(role.get("rules", []))  # none: aggregated
    return dict(found)
