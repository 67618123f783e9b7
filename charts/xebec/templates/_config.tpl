{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* The services' configuration files. <component>.config adds settings; the schema allows only settings that the chart does not set. */}}

{{- define "xebec.config" -}}
{{- $settings := include (printf "xebec.config.%s" .component) .root | fromYaml -}}
{{- $shared := include "xebec.config.shared" . | fromYaml -}}
{{- mergeOverwrite $settings $shared (deepCopy (get .root.Values .component).config) | toYaml -}}
{{- end }}

{{- define "xebec.listen" -}}
{{ ternary "[::]" "0.0.0.0" .root.Values.ipv6 }}:{{ .port }}
{{- end }}

{{- define "xebec.config.shared" -}}
metricsListen: {{ include "xebec.listen" (dict "root" .root "port" (include "xebec.httpPort" .component)) | quote }}
drainTimeout: {{ (get .root.Values .component).drainSeconds }}s
log:
  level: {{ .root.Values.logging.level }}
  format: {{ .root.Values.logging.format }}
tls:
  certificate: /etc/xebec/tls/tls.crt
  key: /etc/xebec/tls/tls.key
  ca: /etc/xebec/tls/ca.crt
  watchers:
    - {{ include "xebec.identity" (dict "root" .root "component" "watcher") }}
  clients:
    - {{ include "xebec.identity" (dict "root" .root "component" "client") }}
{{- end }}

{{- define "xebec.config.watcher" -}}
listen: {{ include "xebec.listen" (dict "root" . "port" (include "xebec.grpcPort" "watcher")) | quote }}
planner: dns:///{{ include "xebec.host" (dict "root" . "component" "planner") }}:{{ include "xebec.grpcPort" "planner" }}
applier: dns:///{{ include "xebec.host" (dict "root" . "component" "applier") }}:{{ include "xebec.grpcPort" "applier" }}
kinds:
  {{- $kinds := include "xebec.enabledKinds" . | fromYaml }}
  {{- range $kinds.parents }}
  - {{ include "xebec.resource" . }}
  {{- else }}
  - operators.xebec.dev # an empty list would mean all kinds
  {{- end }}
{{- with .Values.watchNamespaces }}
namespaces:
  {{- range . }}
  - {{ . }}
  {{- end }}
{{- end }}
{{- if .Values.hooks.enabled }}
hooks:
  gateway: dns:///{{ include "xebec.host" (dict "root" . "component" "hooks") }}:{{ include "xebec.grpcPort" "hooks" }}
  {{- range $key := list "parents" "children" }}
  {{ $key }}:
    {{- if $.Values.hooks.aggregate }}
    - "*"
    {{- else }}
    {{- range get $.Values.hooks $key }}
    - {{ include "xebec.resource" . }}
    {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
lease:
  namespace: {{ include "xebec.namespace" . | toYaml }}
  prefix: {{ include "xebec.leasePrefix" . }}
{{- end }}

{{/* The gateway does not call services of the release: it is a client that they trust less than any other. A denied name includes its subdomains,
     which are the names of the Pods of these headless Services, and the names with the domain of the cluster. */}}
{{- define "xebec.config.hooks" -}}
listen:
  - {{ include "xebec.listen" (dict "root" . "port" (include "xebec.grpcPort" "hooks")) | quote }}
clusterDomain: {{ .Values.clusterDomain }}
deniedHosts:
  {{- range include "xebec.components" . | fromYamlArray }}
  - {{ include "xebec.host" (dict "root" $ "component" .) }}
  {{- end }}
  {{- range .Values.hooks.deniedHosts }}
  - {{ . | quote }}
  {{- end }}
{{- with .Values.hooks.allowedHosts }}
allowedHosts:
  {{- range . }}
  - {{ . | quote }}
  {{- end }}
{{- end }}
{{- if .Values.hooks.allowPlaintext }}
allowPlaintext: true
{{- end }}
{{- with .Values.hooks.credentials }}
credentials:
  {{- range . }}
  - {{ printf "%s=/etc/xebec/credentials/%s@%s" .name .name (join "|" .hosts) | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "xebec.config.planner" -}}
listen:
  - {{ include "xebec.listen" (dict "root" . "port" (include "xebec.grpcPort" "planner")) | quote }}
reflection: {{ .Values.planner.plaintextListener.enabled }}
{{- if .Values.planner.plaintextListener.enabled }}
plaintextListen: ["127.0.0.1:7445"]
{{- end }}
{{- end }}

{{- define "xebec.config.applier" -}}
listen:
  - {{ include "xebec.listen" (dict "root" . "port" (include "xebec.grpcPort" "applier")) | quote }}
allow:
  {{- include "xebec.allow" . | trim | nindent 2 }}
{{- if .Values.hooks.enabled }}
denyNamespaces:
  - {{ include "xebec.namespace" . }}
{{- end }}
lease:
  namespace: {{ include "xebec.namespace" . | toYaml }}
  prefix: {{ include "xebec.leasePrefix" . }}
{{- end }}
