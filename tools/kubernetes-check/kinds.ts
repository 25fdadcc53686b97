/** Kubernetes objects as the rules read them. Their schemas are checked first: what is here is the part that rules look at. */

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels }
}

export type Labels = Readonly<Record<string, string>>

/** `{}` means all. */
export interface Selector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[]
}

/** What runs pods of ours. */
export interface Workload extends Manifest {
  readonly spec: {
    readonly replicas?: number
    readonly strategy?: { readonly rollingUpdate?: { readonly maxUnavailable?: number | string } }
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec }
  }
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean
  readonly enableServiceLinks?: boolean
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly serviceAccountName?: string
  readonly terminationGracePeriodSeconds?: number
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean
    readonly runAsUser?: number
    readonly seccompProfile?: { readonly type: string }
  }
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
  readonly volumes?: readonly Volume[]
}

export interface Container {
  readonly name: string
  readonly image: string
  readonly args?: readonly string[]
  readonly restartPolicy?: string
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[]
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly configMapKeyRef?: { readonly name: string; readonly key: string } }
  }[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
  readonly startupProbe?: Probe
  readonly readinessProbe?: Probe
  readonly livenessProbe?: Probe
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels }
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean
    readonly readOnlyRootFilesystem?: boolean
    readonly privileged?: boolean
    readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] }
  }
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
}

export interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port?: number | string }
  readonly periodSeconds?: number
  readonly failureThreshold?: number
}

export interface Volume {
  readonly name: string
  readonly secret?: { readonly secretName: string }
  readonly hostPath?: object
  readonly projected?: { readonly sources: readonly { readonly secret?: SecretItems }[] }
}

export interface SecretItems {
  readonly name: string
  readonly items?: readonly { readonly key: string; readonly path: string }[]
}

export interface Service extends Manifest {
  readonly spec: {
    readonly selector: Labels
    readonly ports: readonly { readonly port: number; readonly targetPort: number | string }[]
  }
}

export interface ConfigMap extends Manifest {
  readonly data?: Labels
}

/** A budget of disruptions, an autoscaler: what belongs to a workload. */
export interface Budget extends Manifest {
  readonly spec: { readonly maxUnavailable?: number; readonly selector: Selector }
}

export interface Scaler extends Manifest {
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string }
    /** Of a HorizontalPodAutoscaler. */
    readonly minReplicas?: number
    /** Of KEDA's ScaledObject. */
    readonly minReplicaCount?: number
    readonly triggers?: readonly {
      readonly type: string
      readonly metadata: Labels
      readonly authenticationRef?: { readonly name: string }
    }[]
  }
}

export interface NetworkPolicy extends Manifest {
  readonly spec: {
    readonly podSelector: Selector
    readonly policyTypes: readonly string[]
    readonly ingress?: readonly { readonly from?: readonly Peer[]; readonly ports?: readonly PolicyPort[] }[]
    readonly egress?: readonly { readonly to?: readonly Peer[]; readonly ports?: readonly PolicyPort[] }[]
  }
}

export interface Peer {
  readonly podSelector?: Selector
  readonly namespaceSelector?: Selector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}

export interface PolicyPort {
  readonly port: number | string
  readonly endPort?: number
}

export interface Ingress extends Manifest {
  readonly spec: {
    readonly rules: readonly {
      readonly http: {
        readonly paths: readonly { readonly backend: { readonly service: { readonly name: string } } }[]
      }
    }[]
  }
}

/** The operators' database and broker. */
export interface Engine extends Manifest {
  readonly spec: {
    readonly replicas?: number
    readonly members?: number
    readonly users?: readonly DatabaseUser[]
    /** Of the broker. */
    readonly tls?: { readonly secretName: string }
    /** Of the database. */
    readonly security?: { readonly tls: { readonly certificateKeySecretRef: { readonly name: string } } }
  }
}

export interface DatabaseUser {
  readonly name: string
  readonly roles: readonly { readonly name: string; readonly db: string }[]
  readonly connectionStringSecretName: string
}

export interface Certificate extends Manifest {
  readonly spec: {
    readonly secretName: string
    readonly dnsNames?: readonly string[]
    readonly issuerRef: { readonly name: string }
  }
}

/** How KEDA signs in. */
export interface SignIn extends Manifest {
  readonly spec: { readonly secretTargetRef?: readonly { readonly name: string; readonly key: string }[] }
}

/** What each kind looks like. */
export interface Kinds {
  readonly Deployment: Workload
  readonly Job: Workload
  readonly Service: Service
  readonly ConfigMap: ConfigMap
  readonly PodDisruptionBudget: Budget
  readonly HorizontalPodAutoscaler: Scaler
  readonly ScaledObject: Scaler
  readonly NetworkPolicy: NetworkPolicy
  readonly Ingress: Ingress
  readonly Certificate: Certificate
  readonly Issuer: Manifest
  readonly TriggerAuthentication: SignIn
  readonly RabbitmqCluster: Engine
  readonly MongoDBCommunity: Engine
}
