{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Rejects resources that no operator of a user may read or write, and values of hooks that contradict each other. */}}

{{/* A user who may write objects of these groups can get every right, or can stop the runtime. common/declare/forbidden.cc has the same list. */}}
{{- define "xebec.hooks.forbiddenGroups" -}}
- rbac.authorization.k8s.io
- admissionregistration.k8s.io
- apiextensions.k8s.io
- apiregistration.k8s.io
- certificates.k8s.io
- authentication.k8s.io
- authorization.k8s.io
- coordination.k8s.io
{{- end }}

{{- define "xebec.checks.hooks" -}}
{{- $hooks := .Values.hooks -}}
{{- range $key := list "parents" "children" "related" -}}
{{- range $number, $resource := get $hooks $key -}}
{{- include "xebec.checks.hooks.resource" (dict "at" (printf "hooks.%s[%d]" $key $number) "resource" $resource) -}}
{{- end -}}
{{- end -}}
{{- include "xebec.checks.hooks.parents" . -}}
{{- include "xebec.checks.hooks.scope" . -}}
{{- include "xebec.checks.hooks.credentials" $hooks.credentials -}}
{{- end }}

{{- define "xebec.checks.hooks.resource" -}}
{{- $name := include "xebec.resource" .resource -}}
{{- if has .resource.group (append (include "xebec.hooks.forbiddenGroups" . | fromYamlArray) "xebec.dev") -}}
{{- fail (printf "\n%s: %s gives rights, changes the API server or controls Xebec itself, so no operator may use group %s. Remove the entry." .at $name .resource.group) -}}
{{- end -}}
{{- if eq $name "secrets" -}}
{{- fail (printf "\n%s: secrets. The watcher would read every Secret, and a user who may create an Operator could get their contents. Remove the entry, and let the program of the hook or a tool such as External Secrets create the Secrets." .at) -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.hooks.parents" -}}
{{- $builtIn := list -}}
{{- range (include "xebec.enabledKinds" . | fromYaml).parents -}}
{{- $builtIn = append $builtIn (include "xebec.resource" .) -}}
{{- end -}}
{{- range $number, $parent := .Values.hooks.parents -}}
{{- $name := include "xebec.resource" $parent -}}
{{- if has $name $builtIn -}}
{{- fail (printf "\nhooks.parents[%d]: %s is a built-in kind, which has a controller already. Disable it under kinds, or remove the entry." $number $name) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.hooks.scope" -}}
{{- $hooks := .Values.hooks -}}
{{- $ns := include "xebec.namespace" . -}}
{{- if and (not $hooks.aggregate) (or (not $hooks.parents) (not $hooks.children)) -}}
{{- fail "\nhooks.enabled=true: hooks.parents and hooks.children must name the resources that operators may have as parents and as children, for example {group: example.com, resource: websites}. Alternatively, set hooks.aggregate=true to take them from labelled ClusterRoles (docs/security.md)." -}}
{{- end -}}
{{- if and $hooks.aggregate .Values.watchNamespaces -}}
{{- fail "\nhooks.aggregate=true adds rights in the whole cluster, which contradicts watchNamespaces. Name the resources in hooks.parents and hooks.children instead, or leave watchNamespaces empty." -}}
{{- end -}}
{{- if has $ns .Values.watchNamespaces -}}
{{- fail (printf "\nwatchNamespaces contains %s, the namespace of the release. Operators of users could write there and get the identities of Xebec's services. Remove it, or install Xebec in a namespace of its own." $ns) -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.hooks.credentials" -}}
{{- $names := list -}}
{{- range . -}}
{{- if has .name $names -}}
{{- fail (printf "\nhooks.credentials: the name %q appears twice. Operators refer to a credential by its name." .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end }}
