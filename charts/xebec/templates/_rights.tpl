{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Rights, kinds and allow-lists, derived from files/kinds.yaml and the enabled kinds. */}}

{{/* {"parents": [...], "children": [...], "watches": [...], "lists": [...]} of the enabled kinds. */}}
{{- define "xebec.enabledKinds" -}}
{{- $table := .Files.Get "files/kinds.yaml" | fromYaml -}}
{{- $parents := list -}}
{{- $children := list -}}
{{- $watches := list -}}
{{- $lists := list -}}
{{- range $kind, $row := $table -}}
{{- if (get $.Values.kinds $kind).enabled -}}
{{- $parents = concat $parents $row.parents -}}
{{- $children = concat $children $row.children -}}
{{- $watches = concat $watches ($row.watches | default list) -}}
{{- $lists = concat $lists ($row.lists | default list) -}}
{{- end -}}
{{- end -}}
{{- dict "parents" $parents "children" $children "watches" $watches "lists" $lists | toYaml -}}
{{- end }}

{{/* "irises.example.com", "pods" */}}
{{- define "xebec.resource" -}}
{{ .resource }}{{ with .group }}.{{ . }}{{ end }}
{{- end }}

{{/* RBAC rules from a list of {group, resource, verbs}: one rule per group and set of verbs. */}}
{{- define "xebec.rules" -}}
{{- $rules := dict -}}
{{- range . -}}
{{- $key := printf "%s|%s" .group (join "," .verbs) -}}
{{- $rules = set $rules $key (append (get $rules $key | default list) .resource | uniq | sortAlpha) -}}
{{- end -}}
{{- range $key, $resources := $rules }}
{{- $parts := splitList "|" $key }}
- apiGroups: [{{ first $parts | quote }}]
  resources: [{{ join ", " $resources }}]
  verbs: [{{ last $parts | splitList "," | join ", " }}]
{{- end }}
{{- end }}

{{/* {"parents": [...], "children": [...], "related": [...]}: what Operators may name, with the applier's verbs. Empty without hooks. */}}
{{- define "xebec.hookResources" -}}
{{- $parents := list -}}
{{- $children := list -}}
{{- $related := list -}}
{{- if .Values.hooks.enabled -}}
{{- range .Values.hooks.parents -}}
{{- /* patch adds and removes the finalizer */ -}}
{{- $parents = append $parents (merge (dict "verbs" (list "get" "patch")) .) -}}
{{- end -}}
{{- range .Values.hooks.children -}}
{{- $children = append $children (merge (dict) . (dict "verbs" (list "get" "create" "patch" "delete"))) -}}
{{- end -}}
{{- $related = .Values.hooks.related -}}
{{- end -}}
{{- dict "parents" $parents "children" $children "related" $related | toYaml -}}
{{- end }}

{{/* Rights on Operators, which are cluster-scoped. */}}
{{- define "xebec.operatorRules.watcher" -}}
- apiGroups: [xebec.dev]
  resources: [operators]
  verbs: [get, list, watch]
{{- end }}

{{- define "xebec.operatorRules.applier" -}}
- apiGroups: [xebec.dev]
  resources: [operators]
  verbs: [get, patch]
- apiGroups: [xebec.dev]
  resources: [operators/status]
  verbs: [patch, update]
- apiGroups: [xebec.dev]
  resources: [operators/finalizers]
  verbs: [update]
{{- end }}

{{/* What the applier needs to publish Events about its work. */}}
{{- define "xebec.eventGrants" -}}
- {group: events.k8s.io, resource: events, verbs: [create, patch]}
{{- end }}

{{- define "xebec.rules.watcher" -}}
{{- $kinds := include "xebec.enabledKinds" . | fromYaml -}}
{{- $grants := list -}}
{{- $hooks := include "xebec.hookResources" . | fromYaml -}}
{{- range concat $kinds.parents $kinds.children ($kinds.watches | default list) $hooks.parents $hooks.children $hooks.related -}}
{{- if ne (toString .watched) "false" -}}
{{- $grants = append $grants (dict "group" .group "resource" .resource "verbs" (list "get" "list" "watch")) -}}
{{- end -}}
{{- end -}}
{{- range $kinds.lists -}}
{{- $grants = append $grants (dict "group" .group "resource" .resource "verbs" (list "list")) -}}
{{- end -}}
{{- include "xebec.rules" $grants -}}
{{- end }}

{{- define "xebec.rules.applier" -}}
{{- $kinds := include "xebec.enabledKinds" . | fromYaml -}}
{{- $grants := include "xebec.eventGrants" . | fromYamlArray -}}
{{- $hooks := include "xebec.hookResources" . | fromYaml -}}
{{- range concat $kinds.parents $hooks.parents -}}
{{- $grants = append $grants (dict "group" .group "resource" .resource "verbs" (.verbs | default (list "get"))) -}}
{{- $grants = append $grants (dict "group" .group "resource" (printf "%s/status" .resource) "verbs" (list "patch" "update")) -}}
{{- /* required by the admission plug-in OwnerReferencesPermissionEnforcement */ -}}
{{- $grants = append $grants (dict "group" .group "resource" (printf "%s/finalizers" .resource) "verbs" (list "update")) -}}
{{- end -}}
{{- range concat $kinds.children $hooks.children -}}
{{- $grants = append $grants (dict "group" .group "resource" .resource "verbs" .verbs) -}}
{{- end -}}
{{- include "xebec.rules" $grants -}}
{{- end }}

{{/* The applier's allow-list: parents (for their status) and children, limited to watchNamespaces if set. */}}
{{- define "xebec.allow" -}}
{{- $kinds := include "xebec.enabledKinds" . | fromYaml -}}
{{- $names := list -}}
{{- $hooks := include "xebec.hookResources" . | fromYaml -}}
{{- range concat $kinds.parents $kinds.children $hooks.parents $hooks.children -}}
{{- $names = append $names (include "xebec.resource" .) -}}
{{- end -}}
{{- $namespaces := .Values.watchNamespaces -}}
{{- if and .Values.hooks.enabled .Values.hooks.aggregate }}
- "*"
{{- end }}
{{- if .Values.hooks.enabled }}
- operators.xebec.dev
{{- end }}
{{- range $names | uniq | sortAlpha }}
{{- $name := . }}
{{- range $namespaces }}
- {{ $name }}@{{ . }}
{{- else }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end }}
