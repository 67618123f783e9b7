{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Rejects values that contradict each other, which the schema cannot detect. Each message says what is wrong and what to do. */}}

{{- define "xebec.checks" -}}
{{- include "xebec.checks.names" . -}}
{{- include "xebec.checks.tls" . -}}
{{- include "xebec.checks.lives" . -}}
{{- include "xebec.checks.scope" . -}}
{{- include "xebec.checks.observability" . -}}
{{- include "xebec.checks.accounts" . -}}
{{- include "xebec.checks.durations" . -}}
{{- include "xebec.checks.config" . -}}
{{- include "xebec.checks.streams" . -}}
{{- if .Values.hooks.enabled -}}
{{- include "xebec.checks.hooks" . -}}
{{- end -}}
{{- range include "xebec.components" . | fromYamlArray -}}
{{- include "xebec.checks.component" (dict "component" . "values" (include "xebec.settings" (dict "root" $ "component" .) | fromYaml)) -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.names" -}}
{{- $full := include "xebec.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $full) -}}
{{- fail (printf "\nThe names of all objects would begin with %q, but the name of a Service begins with a letter. Choose another release name, or set fullnameOverride." $full) -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.tls" -}}
{{- if eq .Values.tls.mode "disabled" -}}
{{- fail "\ntls.mode=disabled: without TLS the services listen on loopback and unix sockets only, so they cannot reach each other in separate Pods. Use tls.mode=auto (which needs nothing else), certManager or existingSecret. To call the planner without a certificate, set planner.plaintextListener.enabled=true and use kubectl port-forward." -}}
{{- end -}}
{{- if and (eq .Values.tls.mode "certManager") (include "xebec.usesSharedIssuer" .) (not .Values.tls.certManager.allowSharedIssuer) -}}
{{- fail (printf "\ntls.certManager.issuerRef: the %s %q issues certificates for every namespace. A user who may create a Certificate in any namespace can get the identity of the watcher from it and write through the applier. Use an Issuer in the release's namespace, leave issuerRef.name empty, or restrict who gets which URI (docs/security.md says how) and set tls.certManager.allowSharedIssuer=true." .Values.tls.certManager.issuerRef.kind .Values.tls.certManager.issuerRef.name) -}}
{{- end -}}
{{- if eq .Values.tls.mode "existingSecret" -}}
{{- include "xebec.checks.existingSecrets" (dict "names" .Values.tls.existingSecret "components" (include "xebec.components" . | fromYamlArray)) -}}
{{- end -}}
{{- end }}

{{/* Not empty if the issuer serves all namespaces: a ClusterIssuer, or a similar kind of another group. */}}
{{- define "xebec.usesSharedIssuer" -}}
{{- $issuer := .Values.tls.certManager.issuerRef -}}
{{- if and $issuer.name (contains "Cluster" $issuer.kind) -}}shared{{- end -}}
{{- end }}

{{/* Each service needs its own identity: with the planner's certificate, nobody may call the applier. */}}
{{- define "xebec.checks.existingSecrets" -}}
{{- $holders := dict -}}
{{- range $component := .components -}}
{{- $secret := get $.names $component -}}
{{- if not $secret -}}
{{- fail (printf "\ntls.mode=existingSecret: tls.existingSecret.%s is empty; name the Secret with its tls.crt, tls.key and ca.crt." $component) -}}
{{- end -}}
{{- if hasKey $holders $secret -}}
{{- fail (printf "\ntls.existingSecret.%s: %q already holds the %s's certificate. With one certificate for both, a compromised service could act as the other. Issue a certificate for each service (docs/install.md lists the names that it needs) and set the name of its Secret." $component $secret (get $holders $secret)) -}}
{{- end -}}
{{- $_ := set $holders $secret $component -}}
{{- end -}}
{{- end }}

{{/* Certificates are valid long enough to be renewed in time, and are renewed before the alert on their expiry fires. */}}
{{- define "xebec.checks.lives" -}}
{{- if eq .Values.tls.mode "auto" -}}
{{- include "xebec.checks.lives.auto" . -}}
{{- else if eq .Values.tls.mode "certManager" -}}
{{- include "xebec.checks.lives.certManager" . -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.lives.auto" -}}
{{- $auto := .Values.tls.auto -}}
{{- $certificate := trimSuffix "h" $auto.certDuration | atoi -}}
{{- $ca := trimSuffix "h" $auto.caDuration | atoi -}}
{{- $gap := include "xebec.cron.gap" $auto.schedule | atoi -}}
{{- if lt $ca 4 -}}
{{- fail (printf "\ntls.auto.caDuration=%s: the services trust a new CA for one hour before it signs, and this hour may be at most a quarter of its lifetime. Set 4h or more." $auto.caDuration) -}}
{{- end -}}
{{- if gt $certificate $ca -}}
{{- fail (printf "\ntls.auto.certDuration=%s is longer than tls.auto.caDuration=%s, but no certificate outlives the CA that signed it. Lower certDuration or raise caDuration." $auto.certDuration $auto.caDuration) -}}
{{- end -}}
{{- /* Certificates are renewed in the last third of their lifetime, with one spare run of the schedule. */ -}}
{{- if lt $certificate (mul 6 $gap | int) -}}
{{- fail (printf "\ntls.auto.certDuration=%s: certificates are renewed in the last third of their lifetime, which must contain two runs of tls.auto.schedule=%q (up to %dh apart). Set certDuration to %dh or more, or a more frequent schedule, e.g. \"23 * * * *\"." $auto.certDuration $auto.schedule $gap (mul 6 $gap)) -}}
{{- end -}}
{{- /* One run announces the next CA, another run, an hour later, lets it sign, and one run is spare. */ -}}
{{- $least := add (mul 9 $gap) 3 | int -}}
{{- if lt $ca $least -}}
{{- fail (printf "\ntls.auto.caDuration=%s: a CA is replaced in the last third of its lifetime, which must contain three runs of tls.auto.schedule=%q (up to %dh apart) and an hour. Set caDuration to %dh or more, or a more frequent schedule." $auto.caDuration $auto.schedule $gap $least) -}}
{{- end -}}
{{- $left := divf (subf (divf $certificate 3) $gap) 24 -}}
{{- include "xebec.checks.warning" (dict "root" . "left" $left "way" (printf "tls.auto.certDuration=%s" $auto.certDuration)) -}}
{{- /* One run announces the next CA, and another run, at least an hour later, lets it sign. */ -}}
{{- $left = divf (subf (divf $ca 3) (mul 2 $gap) 1) 24 -}}
{{- include "xebec.checks.caWarning" (dict "root" . "left" $left "way" (printf "tls.auto.caDuration=%s" $auto.caDuration)) -}}
{{- end }}

{{/* Values that cert-manager rejects; without this check there would be no certificate. */}}
{{- define "xebec.checks.certManager" -}}
{{- range $key, $least := dict "duration" "1h" "renewBefore" "5m" -}}
{{- $value := get $ $key -}}
{{- if lt (include "xebec.milliseconds" $value | int64) (include "xebec.milliseconds" $least | int64) -}}
{{- fail (printf "\ntls.certManager.%s=%s: cert-manager accepts %s or more." $key $value $least) -}}
{{- end -}}
{{- end -}}
{{- $size := int .privateKey.size -}}
{{- if and $size (eq .privateKey.algorithm "RSA") (or (lt $size 2048) (gt $size 8192)) -}}
{{- fail (printf "\ntls.certManager.privateKey.size=%d: cert-manager accepts RSA keys of 2048 to 8192 bits. Set it to 2048 or more." $size) -}}
{{- end -}}
{{- if and $size (eq .privateKey.algorithm "ECDSA") (not (has $size (list 256 384 521))) -}}
{{- fail (printf "\ntls.certManager.privateKey.size=%d: cert-manager accepts ECDSA keys of 256, 384 or 521 bits. Set it to 256." $size) -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.lives.certManager" -}}
{{- $values := .Values.tls.certManager -}}
{{- include "xebec.checks.certManager" $values -}}
{{- $duration := include "xebec.milliseconds" $values.duration | int64 -}}
{{- $before := include "xebec.milliseconds" $values.renewBefore | int64 -}}
{{- if ge $before $duration -}}
{{- fail (printf "\ntls.certManager.renewBefore=%s is not shorter than tls.certManager.duration=%s, so cert-manager would renew the certificate without end. A third of duration is usual." $values.renewBefore $values.duration) -}}
{{- end -}}
{{- if and (not $values.issuerRef.name) (gt $duration (include "xebec.milliseconds" $values.caDuration | int64)) -}}
{{- fail (printf "\ntls.certManager.duration=%s is longer than tls.certManager.caDuration=%s: certificates would outlive the CA that signed them. Lower duration or raise caDuration." $values.duration $values.caDuration) -}}
{{- end -}}
{{- if not $values.issuerRef.name -}}
{{- $longest := sub $duration $before -}}
{{- include "xebec.checks.lives.ownCa" (dict "values" $values "longest" $longest) -}}
{{- $left := divf (subf (divf (include "xebec.milliseconds" $values.caDuration) 3) $longest) 86400000 -}}
{{- include "xebec.checks.caWarning" (dict "root" . "left" $left "way" (printf "tls.certManager.caDuration=%s" $values.caDuration)) -}}
{{- end -}}
{{- include "xebec.checks.warning" (dict "root" . "left" (divf $before 86400000) "way" (printf "tls.certManager.renewBefore=%s" $values.renewBefore)) -}}
{{- end }}

{{/* The Secret of a certificate holds the CA from the time of signing. That CA must be valid until the next signing, "longest" milliseconds later. */}}
{{- define "xebec.checks.lives.ownCa" -}}
{{- if gt (mul 3 .longest) (include "xebec.milliseconds" .values.caDuration | int64) -}}
{{- fail (printf "\ntls.certManager.caDuration=%s: cert-manager renews the CA when the last third of its lifetime begins. In this third every certificate must be renewed once, which takes tls.certManager.duration minus renewBefore, %dh. Set caDuration to three times that or more." .values.caDuration (divf .longest 3600000 | ceil | int)) -}}
{{- end -}}
{{- end }}

{{/* "left": days until a certificate expires when it is renewed. */}}
{{- define "xebec.checks.warning" -}}
{{- $rule := .root.Values.prometheusRule -}}
{{- if and $rule.enabled (lt (float64 .left) (float64 $rule.thresholds.certificateWarningDays)) -}}
{{- fail (printf "\n%s: certificates have %.1f days left when they are renewed, so prometheusRule.thresholds.certificateWarningDays=%v would warn in a healthy release. Lower certificateWarningDays (and certificateCriticalDays), or renew certificates earlier." .way (float64 .left) $rule.thresholds.certificateWarningDays) -}}
{{- end -}}
{{- end }}

{{/* "left": days until the CA expires when it is replaced. */}}
{{- define "xebec.checks.caWarning" -}}
{{- $rule := .root.Values.prometheusRule -}}
{{- if and $rule.enabled (lt (float64 .left) (float64 $rule.thresholds.caWarningDays)) -}}
{{- fail (printf "\n%s: the CA has %.1f days left when it is replaced, so prometheusRule.thresholds.caWarningDays=%v would warn in a healthy release. Lower caWarningDays or raise caDuration." .way (float64 .left) $rule.thresholds.caWarningDays) -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.scope" -}}
{{- if not (or .Values.hooks.enabled (include "xebec.enabledKinds" . | fromYaml).parents) -}}
{{- fail "\nAll kinds are disabled. Enable at least one of kinds.iris, kinds.podset, kinds.immortal, kinds.database, or let users declare operators with hooks.enabled." -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.observability" -}}
{{- if and .Values.podMonitor.enabled .Values.serviceMonitor.enabled -}}
{{- fail "\npodMonitor.enabled and serviceMonitor.enabled are both true, so every Pod would be scraped twice. Enable only one." -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (or .Values.podMonitor.enabled .Values.serviceMonitor.enabled) (not .Values.networkPolicy.metricsFrom) -}}
{{- fail "\nnetworkPolicy.enabled=true blocks the scrapes of the monitor. Name the namespace of Prometheus in networkPolicy.metricsFrom." -}}
{{- end -}}
{{- end }}

{{/* Each service needs its own ServiceAccount, since each has different rights. */}}
{{- define "xebec.checks.accounts" -}}
{{- $holders := dict (printf "%s-certs" (include "xebec.fullname" .)) "the certificate Job" -}}
{{- range $component := include "xebec.components" . | fromYamlArray -}}
{{- $account := include "xebec.serviceAccountName" (dict "root" $ "component" $component) -}}
{{- if hasKey $holders $account -}}
{{- fail (printf "\n%s.serviceAccount: %q is already the account of %s. With one account for both, a compromised service would have the rights of the other. Set another name in %s.serviceAccount.name." $component $account (get $holders $account) $component) -}}
{{- end -}}
{{- $_ := set $holders $account (printf "the %s" $component) -}}
{{- end -}}
{{- end }}

{{/* The shortest durations that the services accept. */}}
{{- define "xebec.leastDurations" -}}
watcher: {planTimeout: 100ms, planLife: 100ms, requestTimeout: 100ms, gateTimeout: 100ms, retry.min: 1ms, retry.max: 1ms, watchTimeout: 5s,
          discoveryInterval: 100ms, streamMaxAge: 1s, deletion.interval: 1s, lease.duration: 2s, lease.renewDeadline: 500ms, lease.retryPeriod: 100ms}
planner: {maxConnectionAge: 1s}
hooks: {maxConnectionAge: 1s, connectTimeout: 10ms}
applier: {requestTimeout: 100ms, maxConnectionAge: 1s, deletionInterval: 1s, maxPlanAge: 1s}
{{- end }}

{{- define "xebec.checks.durations" -}}
{{- range $component, $table := include "xebec.leastDurations" . | fromYaml -}}
{{- range $path, $least := $table -}}
{{- $value := (get $.Values $component).config -}}
{{- range splitList "." $path -}}
{{- $value = get ($value | default dict) . -}}
{{- end -}}
{{- if and $value (lt (include "xebec.milliseconds" $value | int64) (include "xebec.milliseconds" $least | int64)) -}}
{{- fail (printf "\n%s.config.%s=%s: the %s accepts %s or more and would not start." $component $path $value $component $least) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Settings that the watcher and the applier reject at startup. Settings without a value have the services' defaults. */}}
{{- define "xebec.checks.config" -}}
{{- $watcher := mergeOverwrite (dict "planLife" "10s" "requestTimeout" "10s" "lease" (dict "duration" "15s" "renewDeadline" "10s" "retryPeriod" "2s") "retry" (dict "min" "50ms" "max" "5m")) (deepCopy .Values.watcher.config) -}}
{{- $applier := mergeOverwrite (dict "maxPlanAge" "12s" "requestTimeout" "10s" "writes" (dict "start" 32 "max" 256)) (deepCopy .Values.applier.config) -}}
{{- $lease := $watcher.lease -}}
{{- if mod (include "xebec.milliseconds" $lease.duration | int64) 1000 -}}
{{- fail (printf "\nwatcher.config.lease: duration %s must be whole seconds, because a Lease stores whole seconds." $lease.duration) -}}
{{- end -}}
{{- if ge (include "xebec.milliseconds" $lease.renewDeadline | int64) (include "xebec.milliseconds" $lease.duration | int64) -}}
{{- fail (printf "\nwatcher.config.lease: renewDeadline %s must be shorter than duration %s: a leader must stop before another may start. Lower renewDeadline or raise duration." $lease.renewDeadline $lease.duration) -}}
{{- end -}}
{{- if ge (include "xebec.milliseconds" $lease.retryPeriod | int64) (include "xebec.milliseconds" $lease.renewDeadline | int64) -}}
{{- fail (printf "\nwatcher.config.lease: retryPeriod %s must be shorter than renewDeadline %s, so that a leader tries more than once. Lower retryPeriod or raise renewDeadline." $lease.retryPeriod $lease.renewDeadline) -}}
{{- end -}}
{{- if gt (include "xebec.milliseconds" $watcher.retry.min | int64) (include "xebec.milliseconds" $watcher.retry.max | int64) -}}
{{- fail (printf "\nwatcher.config.retry: min %s is longer than max %s. Set both." $watcher.retry.min $watcher.retry.max) -}}
{{- end -}}
{{- if gt (int $applier.writes.start) (int $applier.writes.max) -}}
{{- fail (printf "\napplier.config.writes: start %d is more than max %d. Set both." (int $applier.writes.start) (int $applier.writes.max)) -}}
{{- end -}}
{{- /* The applier gives three quarters of drainSeconds to requests in flight and the rest to their reports. */ -}}
{{- $least := divf (mulf (include "xebec.milliseconds" $applier.requestTimeout) 4) 3000 | ceil | int -}}
{{- if lt (int .Values.applier.drainSeconds) $least -}}
{{- fail (printf "\napplier.drainSeconds=%d: a request to the API server may take %s (applier.config.requestTimeout), and the outcome of an interrupted request is unknown. Set applier.drainSeconds to %d or more, or lower requestTimeout." (int .Values.applier.drainSeconds) $applier.requestTimeout $least) -}}
{{- end -}}
{{- /* The watcher defers deletions and waits for lost reports until no request of the applier can be in progress: watcher/engine/options.h. */ -}}
{{- if gt (include "xebec.milliseconds" $applier.requestTimeout | int64) (include "xebec.milliseconds" $watcher.requestTimeout | int64) -}}
{{- fail (printf "\napplier.config.requestTimeout=%s is longer than watcher.config.requestTimeout=%s. A watcher that does not receive a report waits watcher.config.requestTimeout for the last request of the applier, so a longer request could still change an object afterwards. Set watcher.config.requestTimeout to %s or more, or lower applier.config.requestTimeout." $applier.requestTimeout $watcher.requestTimeout $applier.requestTimeout) -}}
{{- end -}}
{{- /* The watcher that takes a bucket over waits until the last plan is planLife old, plus 2 s for clocks that differ: watcher/engine/leadership. */ -}}
{{- if gt (include "xebec.milliseconds" $applier.maxPlanAge | int64) (add (include "xebec.milliseconds" $watcher.planLife | int64) 2000) -}}
{{- fail (printf "\napplier.config.maxPlanAge=%s is longer than watcher.config.planLife=%s plus 2s. An applier with a wrong clock could still carry out a plan after another watcher has taken its bucket over. Lower applier.config.maxPlanAge, or raise watcher.config.planLife." $applier.maxPlanAge $watcher.planLife) -}}
{{- end -}}
{{- end }}

{{/* A number, or a percentage "of" a number, rounded up. */}}
{{- define "xebec.share" -}}
{{- if hasSuffix "%" (toString .share) -}}
{{- divf (mulf (trimSuffix "%" .share) .of) 100 | ceil | int -}}
{{- else -}}
{{- int .share -}}
{{- end -}}
{{- end }}

{{/* The maximum number of watchers during a rollout, including new Pods and Pods that are stopping. */}}
{{- define "xebec.mostWatchers" -}}
{{- $settings := include "xebec.settings" (dict "root" . "component" "watcher") | fromYaml -}}
{{- $most := int $settings.replicas -}}
{{- if ne (dig "strategy" "type" "" $settings) "Recreate" -}}
{{- $rollout := dig "strategy" "rollingUpdate" (dict) $settings | default dict -}}
{{- range list "maxSurge" "maxUnavailable" -}}
{{- $most = add $most (include "xebec.share" (dict "share" (dig . "25%" $rollout) "of" $settings.replicas)) -}}
{{- end -}}
{{- end -}}
{{- $most -}}
{{- end }}

{{/* A planner or applier serves 64 calls at once (common/rpc/server/server.h), and every stream is one as long as it is open. Some have to be left for
     health, for users, and for streams of watchers that were lost. There are 32 Leases for watchers. */}}
{{- define "xebec.checks.streams" -}}
{{- $streams := dig "streamsPerAddress" 2 .Values.watcher.config | int -}}
{{- $watchers := include "xebec.mostWatchers" . | atoi -}}
{{- if gt (mul $watchers $streams | int) 48 -}}
{{- fail (printf "\nwatcher.replicas=%d: during a rollout there may be %d watchers, each with %d streams (watcher.config.streamsPerAddress) to every planner and applier, and these serve 64 concurrent calls, including health checks. Reduce watcher.replicas or streamsPerAddress: watchers times streams must not exceed 48, including the Pods that watcher.strategy adds." (int .Values.watcher.replicas) $watchers $streams) -}}
{{- end -}}
{{- $buckets := dig "buckets" 128 .Values.watcher.config | int -}}
{{- if gt (int .Values.watcher.replicas) $buckets -}}
{{- fail (printf "\nwatcher.config.buckets=%d is less than watcher.replicas=%d, so some watchers would reconcile nothing. Set buckets to 8 times the number of watchers or more, or reduce watcher.replicas." $buckets (int .Values.watcher.replicas)) -}}
{{- end -}}
{{- $budget := dig "deletion" "budget" 500 .Values.watcher.config | int -}}
{{- if and (gt $budget 0) (lt $budget $watchers) -}}
{{- fail (printf "\nwatcher.config.deletion.budget=%d is less than the %d watchers that may run during a rollout (watcher.replicas=%d), but each watcher may delete objects of at least one parent in every deletion.interval. Raise the budget to %d or more, reduce watcher.replicas or the Pods that watcher.strategy adds, or set the budget to 0, which defers every deletion." $budget $watchers (int .Values.watcher.replicas) $watchers) -}}
{{- end -}}
{{- if gt $watchers 32 -}}
{{- fail (printf "\nwatcher.replicas=%d: during a rollout there may be %d watchers, but only 32 can share the load. Reduce watcher.replicas, or the Pods that watcher.strategy adds." (int .Values.watcher.replicas) $watchers) -}}
{{- end -}}
{{- end }}

{{/* The minimum number of Pods of a service. */}}
{{- define "xebec.leastReplicas" -}}
{{- ternary (dig "autoscaling" "minReplicas" 1 .) .replicas (dig "autoscaling" "enabled" false .) | int -}}
{{- end }}

{{- define "xebec.checks.budget" -}}
{{- $budget := .values.podDisruptionBudget -}}
{{- $least := include "xebec.leastReplicas" .values | atoi -}}
{{- if and $budget.enabled (gt $least 1) -}}
{{- $stay := toString $budget.minAvailable | default "0" -}}
{{- $stay = include "xebec.share" (dict "share" $stay "of" $least) -}}
{{- if or (ge (atoi $stay) $least) (has (toString $budget.maxUnavailable | trimSuffix "%") (list "0" "00")) -}}
{{- fail (printf "\n%s.podDisruptionBudget allows no disruption: with %d replicas, no node could be drained. Set minAvailable to %d or less, or maxUnavailable to 1 or more." .component $least (sub $least 1)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.component" -}}
{{- $budget := .values.podDisruptionBudget -}}
{{- if and (ne (toString $budget.minAvailable) "") (ne (toString $budget.maxUnavailable) "") -}}
{{- fail (printf "\n%s.podDisruptionBudget has both minAvailable and maxUnavailable, but Kubernetes accepts only one." .component) -}}
{{- end -}}
{{- include "xebec.checks.budget" . -}}
{{- if and (not .values.serviceAccount.create) (not .values.serviceAccount.name) (has .component (list "watcher" "applier")) -}}
{{- fail (printf "\n%s.serviceAccount.create=false: set %s.serviceAccount.name to the ServiceAccount to use; other Pods share the default ServiceAccount of the namespace." .component .component) -}}
{{- end -}}
{{- with .values.autoscaling -}}
{{- if and .enabled (lt (int .maxReplicas) (int .minReplicas)) -}}
{{- fail (printf "\n%s.autoscaling: maxReplicas %d is less than minReplicas %d." $.component (int .maxReplicas) (int .minReplicas)) -}}
{{- end -}}
{{- end -}}
{{- end }}
