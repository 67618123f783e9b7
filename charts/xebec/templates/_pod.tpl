{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Deployments of the services. <component> overrides `defaults`. */}}

{{- define "xebec.settings" -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (get .root.Values .component)) | toYaml -}}
{{- end }}

{{- define "xebec.deployment" -}}
{{- $settings := include "xebec.settings" . | fromYaml -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "xebec.metadata" (merge (dict "annotations" $settings.deploymentAnnotations) .) | nindent 2 }}
spec:
  {{- if not (dig "autoscaling" "enabled" false $settings) }}
  replicas: {{ $settings.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ $settings.revisionHistoryLimit }}
  {{- with $settings.strategy }}
  strategy:
    {{- eq (get . "type") "Recreate" | ternary (omit . "rollingUpdate") . | toYaml | nindent 4 }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "xebec.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "xebec.podLabels" . | nindent 8 }}
        {{- with $settings.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/config: {{ include "xebec.config" . | sha256sum }}
        {{- with merge (dict) $settings.podAnnotations .root.Values.commonAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "xebec.podSpec" (merge (dict "settings" $settings) .) | nindent 6 }}
{{- end }}

{{- define "xebec.podSpec" -}}
{{- $settings := .settings -}}
serviceAccountName: {{ include "xebec.serviceAccountName" . }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add $settings.preStopSeconds $settings.drainSeconds 10 }}
{{- include "xebec.podSettings" . }}
{{- with $settings.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- $selector := dict "labelSelector" (dict "matchLabels" (include "xebec.selectorLabels" $ | fromYaml)) }}
  {{- range . }}
  - {{ toYaml . | nindent 4 | trim }}
    {{- if not (hasKey . "labelSelector") }}
    {{- toYaml $selector | nindent 4 }}
    {{- end }}
  {{- end }}
{{- end }}
{{- with $settings.extraInitContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - {{ include "xebec.container" . | nindent 4 | trim }}
  {{- with $settings.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: config
    configMap:
      name: {{ include "xebec.fullname" .root }}-{{ .component }}
  - name: tls
    secret:
      secretName: {{ include "xebec.tlsSecret" . }}
  {{- if has .component (list "watcher" "applier") }}
  {{- include "xebec.tokenVolume" . | nindent 2 }}
  {{- end }}
  {{- if eq .component "hooks" }}
  {{- range .root.Values.hooks.credentials }}
  - name: credential-{{ .name }}
    secret:
      secretName: {{ .secret }}
  {{- end }}
  {{- end }}
  {{- with $settings.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Settings that all Pods of the chart share. */}}
{{- define "xebec.podSettings" }}
{{- $pullSecrets := list }}
{{- range concat .root.Values.global.imagePullSecrets .root.Values.imagePullSecrets }}
{{- $pullSecrets = append $pullSecrets (kindIs "map" . | ternary (get (kindIs "map" . | ternary . dict) "name") .) }}
{{- end }}
{{- with uniq $pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- $settings := .settings }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "runtimeClassName" "schedulerName" "dnsPolicy" "dnsConfig" }}
{{- with get $settings $key }}
{{ $key }}:
  {{- if kindIs "string" . }} {{ . }}{{ else }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}
{{- if kindIs "bool" $settings.hostUsers }}
hostUsers: {{ $settings.hostUsers }}
{{- end }}
securityContext:
  {{- toYaml $settings.podSecurityContext | nindent 2 }}
{{- end }}

{{- define "xebec.tokenVolume" -}}
- name: api-access
  projected:
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3600
      - configMap:
          name: kube-root-ca.crt
          items:
            - {key: ca.crt, path: ca.crt}
      - downwardAPI:
          items:
            - path: namespace
              fieldRef: {fieldPath: metadata.namespace}
{{- end }}

{{- define "xebec.container" -}}
{{- $settings := .settings -}}
name: {{ .component }}
image: {{ include "xebec.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
command: [/usr/bin/xebec-{{ .component }}]
args:
  - --config=/etc/xebec/config.yaml
  {{- with $settings.extraArgs }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- if or (eq .component "watcher") $settings.extraEnv }}
env:
  {{- if eq .component "watcher" }}
  # A container that restarts in the same Pod takes its Lease back immediately.
  - name: XEBEC_LEASE_INSTANCE
    valueFrom:
      fieldRef: {fieldPath: metadata.uid}
  # Where the other watchers ask this one for its parents.
  - name: XEBEC_ADVERTISE
    valueFrom:
      fieldRef: {fieldPath: status.podIP}
  {{- end }}
  {{- with $settings.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- with $settings.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - {name: grpc, containerPort: {{ include "xebec.grpcPort" .component }}, protocol: TCP}
  - {name: http, containerPort: {{ include "xebec.httpPort" .component }}, protocol: TCP}
{{- range $probe, $path := dict "startupProbe" "/livez" "livenessProbe" "/livez" "readinessProbe" "/readyz" }}
{{- $probeSettings := get $settings $probe }}
{{- if $probeSettings.enabled }}
{{ $probe }}:
  httpGet: {path: {{ $path }}, port: http}
  {{- toYaml (omit $probeSettings "enabled") | nindent 2 }}
{{- end }}
{{- end }}
{{- if $settings.preStopSeconds }}
lifecycle:
  preStop:
    sleep: {seconds: {{ $settings.preStopSeconds }}}
{{- end }}
{{- with $settings.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml $settings.securityContext | nindent 2 }}
volumeMounts:
  - {name: config, mountPath: /etc/xebec/config.yaml, subPath: config.yaml, readOnly: true}
  - {name: tls, mountPath: /etc/xebec/tls, readOnly: true}
  {{- if eq .component "hooks" }}
  {{- range .root.Values.hooks.credentials }}
  - {name: credential-{{ .name }}, mountPath: /etc/xebec/credentials/{{ .name }}, readOnly: true}
  {{- end }}
  {{- end }}
  {{- if has .component (list "watcher" "applier") }}
  - {name: api-access, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
  {{- end }}
  {{- with $settings.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
