{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Rights, kinds and allow-lists, derived from files/kinds.yaml and the enabled kinds. */}}

{{/* {"parents": [...], "children": [...], "watches": [...]} of the enabled kinds. */}}
{{- define "xebec.enabledKinds" -}}
{{- $table := .Files.Get "files/kinds.yaml" | fromYaml -}}
{{- $parents := list -}}
{{- $children := list -}}
{{- $watches := list -}}
{{- range $kind, $row := $table -}}
{{- if (get $.Values.kinds $kind).enabled -}}
{{- $parents = concat $parents $row.parents -}}
{{- $children = concat $children $row.children -}}
{{- $watches = concat $watches ($row.watches | default list) -}}
{{- end -}}
{{- end -}}
{{- dict "parents" $parents "children" $children "watches" $watches | toYaml -}}
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

{{- define "xebec.rules.watcher" -}}
{{- $kinds := include "xebec.enabledKinds" . | fromYaml -}}
{{- $grants := list -}}
{{- range concat $kinds.parents $kinds.children ($kinds.watches | default list) -}}
{{- if ne (toString .watched) "false" -}}
{{- $grants = append $grants (dict "group" .group "resource" .resource "verbs" (list "get" "list" "watch")) -}}
{{- end -}}
{{- end -}}
{{- include "xebec.rules" $grants -}}
{{- end }}

{{- define "xebec.rules.applier" -}}
{{- $kinds := include "xebec.enabledKinds" . | fromYaml -}}
{{- $grants := list (dict "group" "events.k8s.io" "resource" "events" "verbs" (list "create" "patch")) -}}
{{- range $kinds.parents -}}
{{- $grants = append $grants (dict "group" .group "resource" .resource "verbs" (list "get")) -}}
{{- $grants = append $grants (dict "group" .group "resource" (printf "%s/status" .resource) "verbs" (list "patch")) -}}
{{- /* required by the admission plug-in OwnerReferencesPermissionEnforcement */ -}}
{{- $grants = append $grants (dict "group" .group "resource" (printf "%s/finalizers" .resource) "verbs" (list "update")) -}}
{{- end -}}
{{- range $kinds.children -}}
{{- $grants = append $grants (dict "group" .group "resource" .resource "verbs" .verbs) -}}
{{- end -}}
{{- include "xebec.rules" $grants -}}
{{- end }}

{{/* The applier's allow-list: parents (for their status) and children, limited to watchNamespaces if set. */}}
{{- define "xebec.allow" -}}
{{- $kinds := include "xebec.enabledKinds" . | fromYaml -}}
{{- $names := list -}}
{{- range concat $kinds.parents $kinds.children -}}
{{- $names = append $names (include "xebec.resource" .) -}}
{{- end -}}
{{- $namespaces := .Values.watchNamespaces -}}
{{- range $names | uniq | sortAlpha }}
{{- $name := . }}
{{- range $namespaces }}
- {{ $name }}@{{ . }}
{{- else }}
- {{ $name }}
{{- end }}
{{- end }}
{{- end }}
