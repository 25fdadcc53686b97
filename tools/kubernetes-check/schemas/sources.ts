/** Where the schemas come from: Go modules, which are public and pinned by the module's checksum. */
export interface Source {
  readonly file: string
  /** `<module>@<version>` */
  readonly module: string
  readonly license: string
  readonly files: readonly string[]
  /** Of Kubernetes' own API: `<apiVersion> <kind>` and the definition's name. Otherwise the files are custom resources. */
  readonly kinds?: Readonly<Record<string, string>>
  /** Of Kubernetes' own API: the Go source with the values that its fields take. */
  readonly enums?: string
  /** Large parts that no manifest here uses: using one is a mistake until they are taken in. */
  readonly without?: readonly string[]
}

const OPEN_API = ['api__v1', 'apis__apps__v1', 'apis__autoscaling__v2', 'apis__batch__v1', 'apis__policy__v1']

export const SOURCES: readonly Source[] = [
  {
    file: 'kubernetes.json',
    module: 'k8s.io/kubernetes@v1.36.3',
    license: 'Apache-2.0',
    files: [...OPEN_API, 'apis__networking.k8s.io__v1'].map((name) => `api/openapi-spec/v3/${name}_openapi.json`),
    enums: 'pkg/generated/openapi/zz_generated.openapi.go',
    kinds: {
      'v1 ConfigMap': 'io.k8s.api.core.v1.ConfigMap',
      'v1 Namespace': 'io.k8s.api.core.v1.Namespace',
      'v1 Service': 'io.k8s.api.core.v1.Service',
      'v1 ServiceAccount': 'io.k8s.api.core.v1.ServiceAccount',
      'apps/v1 Deployment': 'io.k8s.api.apps.v1.Deployment',
      'apps/v1 StatefulSet': 'io.k8s.api.apps.v1.StatefulSet',
      'autoscaling/v2 HorizontalPodAutoscaler': 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
      'batch/v1 Job': 'io.k8s.api.batch.v1.Job',
      'networking.k8s.io/v1 Ingress': 'io.k8s.api.networking.v1.Ingress',
      'networking.k8s.io/v1 NetworkPolicy': 'io.k8s.api.networking.v1.NetworkPolicy',
      'policy/v1 PodDisruptionBudget': 'io.k8s.api.policy.v1.PodDisruptionBudget',
    },
  },
  {
    file: 'cert-manager.json',
    module: 'github.com/cert-manager/cert-manager@v1.21.2',
    license: 'Apache-2.0',
    files: ['deploy/crds/cert-manager.io_certificates.yaml', 'deploy/crds/cert-manager.io_issuers.yaml'],
    without: ['spec.acme', 'spec.vault', 'spec.venafi'],
  },
  {
    file: 'keda.json',
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    license: 'Apache-2.0',
    files: ['config/crd/bases/keda.sh_scaledobjects.yaml', 'config/crd/bases/keda.sh_triggerauthentications.yaml'],
  },
  {
    file: 'mongodb.json',
    module: 'github.com/mongodb/mongodb-kubernetes-operator@v0.13.0',
    license: 'Apache-2.0',
    files: ['config/crd/bases/mongodbcommunity.mongodb.com_mongodbcommunity.yaml'],
  },
  {
    file: 'prometheus-operator.json',
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    license: 'Apache-2.0',
    files: ['example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml'],
  },
  {
    file: 'rabbitmq.json',
    module: 'github.com/rabbitmq/cluster-operator/v2@v2.16.0',
    license: 'MPL-2.0',
    files: ['config/crd/bases/rabbitmq.com_rabbitmqclusters.yaml'],
    without: ['spec.override'],
  },
]
