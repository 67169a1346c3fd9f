{{/*
What must not be installed. All faults are told at once, each with the value to change.
values.schema.json has refused wrong forms before these are asked.
*/}}
{{- define "onceway.faults.pull" -}}
{{- $v := .Values -}}
{{- if not $v.project }}
- project is empty: set it to the project whose subscriptions are pulled.
{{- end }}
{{- if not $v.image.repository }}
- image.repository is empty: set it to where the image is, as REGION-docker.pkg.dev/PROJECT/REPOSITORY/onceway.
{{- end }}
{{- if and (not $v.image.digest) (or (not $v.image.tag) (eq $v.image.tag "latest")) }}
- image.digest and image.tag don't say which image: set image.digest to sha256:…, or image.tag to a version other than latest.
{{- end }}
{{- if not $v.subscriptions }}
- subscriptions is empty: name at least one to pull, as {function: Relay, name: orders-relay}.
{{- if include "onceway.autoscaled" . }}
- autoscaling has no subscription to scale by: name it in subscriptions, or set autoscaling.adapter.enabled and autoscaling.keda.enabled to false. Without one the metric would count every queue of the project.
{{- end }}
{{- end }}
{{- $seen := dict -}}
{{- range $v.subscriptions }}
{{- $full := printf "%s/%s" (include "onceway.subscriptionProject" (dict "name" .name "project" $v.project)) (include "onceway.subscriptionID" .) }}
{{- if hasKey $seen $full }}
- subscriptions has {{ .name }} twice: remove one, two functions on one subscription would take each other's messages.
{{- end }}
{{- $_ := set $seen $full true }}
{{- end }}
{{- $owned := fromYaml (include "onceway.ownedEnv" .) -}}
{{- range $name, $_ := $v.env }}
{{- if hasKey $owned $name }}
- env.{{ $name }} would get round the chart's checks: remove it and set {{ index $owned $name }}.
{{- end }}
{{- end }}
{{- end -}}

{{- define "onceway.faults.claims" -}}
{{- $v := .Values -}}
{{- $c := $v.claims -}}
{{- if eq $c.backend "memory" }}
{{- if gt (int $v.replicas) 1 }}
- claims.backend memory with replicas {{ $v.replicas }}: pods don't see each other's claims and would act twice; set claims.backend to firestore, redis or postgres, or replicas to 1.
{{- end }}
{{- if include "onceway.autoscaled" . }}
- claims.backend memory with autoscaling: pods don't see each other's claims and would act twice; set claims.backend to firestore, redis or postgres, or switch autoscaling off.
{{- end }}
{{- end }}
{{- if and (eq $c.backend "redis") (not $c.redis.secretName) }}
- claims.backend redis has no URL: put it in a Secret and set claims.redis.secretName to its name.
{{- end }}
{{- if and (eq $c.backend "postgres") (not $c.postgres.secretName) }}
- claims.backend postgres has no URL: put it in a Secret and set claims.postgres.secretName to its name.
{{- end }}
{{- $lease := int $c.leaseSeconds -}}{{- $timeout := int $c.handlerTimeoutSeconds -}}{{- $beat := int $v.worker.heartbeatSeconds -}}
{{- if eq $beat 0 }}
{{- if ge $timeout $lease }}
- claims.handlerTimeoutSeconds {{ $timeout }} is not below claims.leaseSeconds {{ $lease }}: another pod would take over while the handler runs; shorten it, lengthen the lease, or renew leases with worker.heartbeatSeconds.
{{- end }}
{{- $need := add $lease $timeout (int $c.marginSeconds) -}}
{{- if gt (int $need) (int $v.pubsub.ackDeadlineSeconds) }}
- pubsub.ackDeadlineSeconds {{ int $v.pubsub.ackDeadlineSeconds }} is below claims.leaseSeconds {{ $lease }} + claims.handlerTimeoutSeconds {{ $timeout }} + claims.marginSeconds {{ int $c.marginSeconds }} = {{ $need }}: raise it (Pub/Sub allows 600) or shorten those, or renew leases with worker.heartbeatSeconds.
{{- end }}
{{- else if gt (mul 3 $beat) $lease }}
- worker.heartbeatSeconds {{ $beat }} is over a third of claims.leaseSeconds {{ $lease }}: one renewal that fails would lose the lease; set it to {{ div $lease 3 }} or less.
{{- end }}
{{- if lt (int (include "onceway.terminationSeconds" .)) (int (include "onceway.settleSeconds" .)) }}
- worker.terminationGracePeriodSeconds {{ int $v.worker.terminationGracePeriodSeconds }} ends pods before their claims are settled: set it to {{ include "onceway.settleSeconds" . }} or more, or to null to have it counted from worker.graceSeconds.
{{- end }}
{{- if lt (int $v.pubsub.deadLetterRetentionHours) (int $v.pubsub.retentionHours) }}
- pubsub.deadLetterRetentionHours {{ int $v.pubsub.deadLetterRetentionHours }} is below pubsub.retentionHours {{ int $v.pubsub.retentionHours }}: claims' TTL is counted from both and a dead letter must outlast what it is a letter of; set it to 744.
{{- end }}
{{- range $key, $_ := $c }}
{{- if regexMatch "(?i)^(ttl|retention)" $key }}
- claims.{{ $key }} is no value of its own: claims live as long as a message can come back, so set pubsub.retentionHours and pubsub.deadLetterRetentionHours to the subscriptions' retention.
{{- end }}
{{- end }}
{{- end -}}

{{- define "onceway.faults.scaling" -}}
{{- $v := .Values -}}
{{- $a := $v.autoscaling -}}
{{- $min := int $a.minReplicas -}}{{- $max := int $a.maxReplicas -}}
{{- if and $a.adapter.enabled $a.keda.enabled }}
- autoscaling.adapter and autoscaling.keda are both on: each wants to serve external.metrics.k8s.io and to set the number of pods; set one of them to false.
{{- end }}
{{- if lt $max $min }}
- autoscaling.maxReplicas {{ $max }} is below autoscaling.minReplicas {{ $min }}: raise the one or lower the other.
{{- end }}
{{- if and (eq $min 0) (not $a.allowZero) }}
- autoscaling.minReplicas 0 leaves nobody to pull until a figure of minutes ago says so: set it to 1, or set autoscaling.allowZero to true if that is meant.
{{- end }}
{{- range $v.subscriptions }}
{{- if and .expectedBacklog (not $a.adapter.enabled) }}
- subscription {{ .name }} has expectedBacklog, which the adapter's autoscaler alone reads: set autoscaling.adapter.enabled to true, or this to false.
{{- end }}
{{- end }}
{{- if and $v.windows.list (not (include "onceway.autoscaled" .)) }}
- windows raise an autoscaler's minimum and there is none: set autoscaling.adapter.enabled or autoscaling.keda.enabled to true, or empty windows.list.
{{- end }}
{{- $seen := dict -}}
{{- range $v.windows.list }}
{{- if gt (int .minReplicas) $max }}
- window {{ .name }} wants minReplicas {{ int .minReplicas }}, over autoscaling.maxReplicas {{ $max }}: lower it or raise the maximum.
{{- end }}
{{- if le (int .minReplicas) $min }}
- window {{ .name }} wants minReplicas {{ int .minReplicas }}, which raises nothing above autoscaling.minReplicas {{ $min }}: raise it or remove the window.
{{- end }}
{{- if hasKey $seen .name }}
- window {{ .name }} is there twice: rename one.
{{- end }}
{{- $_ := set $seen .name true }}
{{- end }}
{{- $chat := false -}}
{{- range $v.subscriptions }}{{- if eq .function "Chat" }}{{- $chat = true }}{{- end }}{{- end }}
{{- if and $v.chat.namespaces (not $chat) }}
- chat.namespaces gives rights over Deployments that nothing here uses: empty it, or name Chat's subscription in subscriptions.
{{- end }}
{{- end -}}

{{- define "onceway.guard" -}}
{{- $faults := printf "%s%s%s" (include "onceway.faults.pull" .) (include "onceway.faults.claims" .) (include "onceway.faults.scaling" .) | trim -}}
{{- if $faults -}}
{{- fail (printf "\n%s" $faults) -}}
{{- end -}}
{{- end -}}
