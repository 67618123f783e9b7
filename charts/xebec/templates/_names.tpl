{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Names, labels and identities. "root" is the top context, "component" one of watcher, planner, applier, hooks, certs. */}}

{{/* A list of the services of the release. */}}
{{- define "xebec.components" -}}
[watcher, planner, applier{{ if .Values.hooks.enabled }}, hooks{{ end }}]
{{- end }}

{{- define "xebec.name" -}}
{{- default .Chart.Name .Values.nameOverride -}}
{{- end }}

{{/* At most 46 characters: the name of a CronJob has at most 52, and "-certs" is appended. A digest replaces the cut part, so
     that two releases with long names have different names. */}}
{{- define "xebec.fullname" -}}
{{- $full := .Values.fullnameOverride -}}
{{- if not $full -}}
{{- $name := include "xebec.name" . -}}
{{- $full = ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | replace "." "-" -}}
{{- end -}}
{{- if gt (len $full) 46 -}}
{{- $full = printf "%s-%s" (trunc 37 $full | trimSuffix "-") (sha256sum $full | trunc 8) -}}
{{- end -}}
{{- $full -}}
{{- end }}

{{- define "xebec.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end }}

{{/* Name of a cluster-scoped object. It contains the namespace, so that releases of the same name in two namespaces differ. */}}
{{- define "xebec.clusterName" -}}
{{ include "xebec.namespace" .root }}:{{ include "xebec.fullname" .root }}-{{ .component }}
{{- end }}

{{- define "xebec.selectorLabels" -}}
app.kubernetes.io/name: {{ include "xebec.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "xebec.labels" -}}
{{ include "xebec.selectorLabels" . }}
app.kubernetes.io/part-of: xebec
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels of Pods. They do not change with every version, so that only a change of the Pod replaces it. */}}
{{- define "xebec.podLabels" -}}
{{ include "xebec.selectorLabels" . }}
app.kubernetes.io/part-of: xebec
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* "name" if it is not <fullname>-<component>. If "namespace" is not the namespace of the release, the latter becomes a prefix, since another
     release of the same name may use that namespace, too. "separator" if it is not a point. */}}
{{- define "xebec.objectName" -}}
{{- $ns := include "xebec.namespace" .root -}}
{{- if ne (.namespace | default $ns) $ns -}}{{ $ns }}{{ .separator | default "." }}{{- end -}}
{{ .name | default (printf "%s-%s" (include "xebec.fullname" .root) .component) }}
{{- end }}

{{/* Everything under "metadata:" of an object with a namespace; see xebec.objectName. */}}
{{- define "xebec.metadata" -}}
name: {{ include "xebec.objectName" . }}
namespace: {{ .namespace | default (include "xebec.namespace" .root) | toYaml }}
{{ include "xebec.marks" . }}
{{- end }}

{{- define "xebec.clusterMetadata" -}}
name: {{ include "xebec.clusterName" . }}
{{ include "xebec.marks" . }}
{{- end }}

{{- define "xebec.marks" -}}
labels:
  {{- include "xebec.labels" . | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "xebec.serviceAccountName" -}}
{{- $account := (get .root.Values .component).serviceAccount -}}
{{- $own := printf "%s-%s" (include "xebec.fullname" .root) .component -}}
{{- if $account.create -}}{{ $account.name | default $own }}{{- else -}}{{ $account.name | default "default" }}{{- end -}}
{{- end }}

{{- define "xebec.image" -}}
{{- $image := .Values.image -}}
{{- $registry := .Values.global.imageRegistry | default $image.registry -}}
{{- $tag := $image.tag | default (ternary "" .Chart.AppVersion (ne $image.digest "")) -}}
{{- with $registry }}{{ . }}/{{ end -}}
{{ $image.repository }}{{ with $tag }}:{{ . }}{{ end }}{{ with $image.digest }}@{{ . }}{{ end -}}
{{- end }}

{{/* The URI in a certificate, which identifies its holder. "component": watcher, planner, applier, hooks, client. */}}
{{- define "xebec.identity" -}}
spiffe://{{ .root.Values.tls.trustDomain }}/ns/{{ include "xebec.namespace" .root }}/sa/{{ include "xebec.fullname" .root }}-{{ .component }}
{{- end }}

{{/* The DNS name of a service, which its certificate must contain. */}}
{{- define "xebec.host" -}}
{{ include "xebec.fullname" .root }}-{{ .component }}.{{ include "xebec.namespace" .root }}.svc
{{- end }}

{{- define "xebec.tlsSecret" -}}
{{- if eq .root.Values.tls.mode "existingSecret" -}}
{{ get .root.Values.tls.existingSecret .component }}
{{- else -}}
{{ include "xebec.fullname" .root }}-{{ .component }}-tls
{{- end -}}
{{- end }}

{{/* A list of all Secrets with certificates of the release. */}}
{{- define "xebec.certificateSecrets" -}}
{{- if ne .Values.tls.mode "existingSecret" }}
- {{ include "xebec.fullname" . }}-ca
- {{ include "xebec.fullname" . }}-client-tls
{{- end }}
{{- range include "xebec.components" . | fromYamlArray | sortAlpha }}
- {{ include "xebec.tlsSecret" (dict "root" $ "component" .) }}
{{- end }}
{{- end }}

{{- define "xebec.leasePrefix" -}}
{{ include "xebec.fullname" . }}-watcher-
{{- end }}

{{/* The Lease that contains the assignment of the buckets to watchers. */}}
{{- define "xebec.assignment" -}}
{{ include "xebec.leasePrefix" . }}assignment
{{- end }}

{{/* A list of all Leases that watchers write: one for each of at most 32 watchers (watcher/engine/leadership), and the assignment. */}}
{{- define "xebec.leases" -}}
{{- range until 32 }}
- {{ include "xebec.leasePrefix" $ }}{{ . }}
{{- end }}
- {{ include "xebec.assignment" . }}
{{- end }}

{{- define "xebec.grpcPort" -}}
{{ get (dict "planner" 7443 "applier" 7444 "watcher" 7442 "hooks" 7446) . }}
{{- end }}

{{- define "xebec.httpPort" -}}
{{ get (dict "planner" 8080 "watcher" 8081 "applier" 8082 "hooks" 8083) . }}
{{- end }}

{{/* The list under "subjects:" of a binding. */}}
{{- define "xebec.subjects" -}}
- kind: ServiceAccount
  name: {{ include "xebec.serviceAccountName" . }}
  namespace: {{ include "xebec.namespace" .root | toYaml }}
{{- end }}
