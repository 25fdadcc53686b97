/**
 * `node tools/kubernetes-check/schemas/vendor.ts` writes the schemas beside this file again. It needs Go, which downloads the modules
 * and verifies their checksums. kubeconform finds a schema by its name: `<kind>-<group>-<version>.json`.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { isMap, mapAt, textAt, type Json } from '../objects.ts'

const KUBERNETES = 'k8s.io/kubernetes@v1.36.3'
const KINDS = {
  'core.v1': ['ConfigMap', 'Namespace', 'Service', 'ServiceAccount'],
  'apps.v1': ['Deployment'],
  'batch.v1': ['Job'],
  'autoscaling.v2': ['HorizontalPodAutoscaler'],
  'policy.v1': ['PodDisruptionBudget'],
  'networking.v1': ['Ingress', 'NetworkPolicy'],
}
/** The operators' modules (README.md names their licenses), and the files in them that define custom resources. */
const OPERATORS = {
  'github.com/cert-manager/cert-manager@v1.21.2': 'deploy/crds/cert-manager.io_{certificates,issuers}.yaml',
  'github.com/kedacore/keda/v2@v2.21.0': 'config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml',
  'github.com/mongodb/mongodb-kubernetes-operator@v0.13.0': 'config/crd/bases/*_mongodbcommunity.yaml',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': 'example/prometheus-operator-crd/*_podmonitors.yaml',
  'github.com/rabbitmq/cluster-operator/v2@v2.16.0': 'config/crd/bases/rabbitmq.com_rabbitmqclusters.yaml',
}
/** Fields that no manifest sets and whose schemas are large. A manifest that sets one is refused. */
const LEFT_OUT = ['status', 'acme', 'vault', 'venafi', 'override']
/** Keywords that accept every value. */
const ANNOTATION =
  /^(?:description|default|format|title|example|externalDocs|x-kubernetes-(?!preserve-unknown-fields|int-or-string).*)$/u
const DEFINITIONS = '_definitions.json#/definitions/'
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const STATEFUL_SET = 'io.k8s.api.apps.v1.StatefulSetSpec'

const names = Object.entries(KINDS).flatMap(([group, kinds]) => kinds.map((kind) => `${group}.${kind}`))
const definitions = readDefinitions([META, STATEFUL_SET, ...names.map((name) => `io.k8s.api.${name}`)])
write('_definitions', KUBERNETES, { definitions })
for (const name of names) {
  const [group = '', version = '', kind = ''] = name.split('.')
  write(`${kind}${group === 'core' ? '' : `-${group}`}-${version}`, KUBERNETES, { $ref: `${DEFINITIONS}io.k8s.api.${name}` })
}
for (const [module, files] of Object.entries(OPERATORS)) {
  for (const text of read(module, files)) {
    const spec = mapAt(parse(text), 'spec')
    const version = mapAt(spec, 'versions.*')
    const schema = mapAt(strictly(version), 'schema.openAPIV3Schema')
    // A custom resource leaves its metadata open, and MongoDB's the StatefulSet of which it gives a part.
    Object.assign(mapAt(schema, 'properties'), { metadata: { $ref: DEFINITIONS + META } })
    const statefulSet = mapAt(schema, 'properties.spec.properties.statefulSet.properties')
    Object.assign(statefulSet, { spec: { ...definitions[STATEFUL_SET], required: undefined } })
    write(`${textAt(spec, 'names.kind')}-${textAt(spec, 'group').split('.')[0]}-${textAt(version, 'name')}`, module, schema)
  }
}

function write(name: string, module: string, schema: Json): void {
  const text = JSON.stringify({ $comment: `Written by vendor.ts from ${module}.`, ...schema }, null, 1)
  writeFileSync(join(import.meta.dirname, `${name.toLowerCase()}.json`), `${text}\n`)
}

/** The files of a Go module that match a pattern. */
function read(module: string, files: string): string[] {
  const cwd = textAt(JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' })), 'Dir')
  const found = globSync(files, { cwd })
  if (found.length === 0) throw new Error(`${module} has no file ${files}`)
  return found.map((file) => readFileSync(join(cwd, file), 'utf8'))
}

/** Kubernetes' own definitions with these names, and all that they refer to. */
function readDefinitions(names: readonly string[]): Readonly<Record<string, Json>> {
  const texts = read(KUBERNETES, 'api/openapi-spec/v3/api*_openapi.json')
  const all = new Map(texts.flatMap((text) => Object.entries(mapAt(JSON.parse(text), 'components.schemas'))))
  const found: Record<string, Json> = {}
  const take = (name: string): void => {
    if (name in found) return
    const text = JSON.stringify(strictly(all.get(name))).replaceAll('#/components/schemas/', DEFINITIONS)
    found[name] = mapAt({ schema: JSON.parse(text) as unknown }, 'schema')
    for (const [, next = ''] of text.matchAll(/_definitions\.json#\/definitions\/([^"]+)/gu)) take(next)
  }
  names.forEach(take)
  addEnums(found)
  return found
}

/**
 * Adds the values that fields such as `whenUnsatisfiable` take. The published OpenAPI says only "string"; the lists are in the Go
 * source from which an API server makes its own schemas.
 */
function addEnums(definitions: Readonly<Record<string, Json>>): void {
  const [source = ''] = read(KUBERNETES, 'pkg/generated/openapi/zz_generated.openapi.go')
  for (const body of source.split(/^func /mu)) {
    const names = /^schema_k8sio_api_(\w+?)_(v\w+?)_(\w+)\(/u.exec(body)?.slice(1) ?? []
    for (const part of body.split(/^\t{5}(?="[^"]+": \{$)/mu)) {
      const [, field = '', list] = /^"([^"]+)".*^\t+Enum: +\[\]interface\{\}(\{.*?\}),$/msu.exec(part) ?? []
      if (list === undefined) continue
      const schema = mapAt(definitions[`io.k8s.api.${names.join('.')}`], `properties.${field}`)
      const values = [...list.matchAll(/"([^"]*)"/gu)].map(([, value]) => value)
      Object.assign(isMap(schema['items']) ? schema['items'] : schema, { enum: values })
    }
  }
}

/** A schema in which unknown fields are errors, as they are to `kubectl --validate=strict`. `isFields`: keys are names of fields. */
function strictly(schema: unknown, isFields = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => strictly(part))
  if (!isMap(schema)) return schema
  const entries = Object.entries(schema)
    .filter(([key]) => (isFields ? !LEFT_OUT.includes(key) : !ANNOTATION.test(key)))
    .map(([key, part]) => [key, strictly(part, key === 'properties' && !isFields)] as const)
  const isOpen = ['x-kubernetes-preserve-unknown-fields', 'additionalProperties'].some((key) => schema[key] !== undefined)
  const isStrict = 'properties' in schema && !isFields && !isOpen
  return { ...Object.fromEntries(entries), ...(isStrict ? { additionalProperties: false } : {}) }
}
