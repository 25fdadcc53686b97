/** Whether objects are what their schemas say (../schemas), in which every unknown field is a mistake. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { SOURCES } from './schemas/sources.ts'
import { isMap, type Tree } from './schemas/strictly.ts'
import { nameOf, type Manifest } from './manifests.ts'

const FOLDER = join(import.meta.dirname, './schemas')
const OWN = 'kubernetes.json'
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
const validators = new Map<string, ValidateFunction>()

for (const { file } of SOURCES) {
  const { kinds, definitions } = readSchemas(file)
  ajv.addSchema({ $id: file, kinds, definitions })
  for (const kind of Object.keys(kinds)) {
    validators.set(kind, ajv.compile({ $ref: `${file}#/kinds/${encodeURIComponent(kind.replaceAll('/', '~1'))}` }))
  }
}

const definition = (name: string): ValidateFunction => ajv.compile({ $ref: `${OWN}#/definitions/${name}` })
const validateMetadata = definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
const validateStatefulSet = definition('io.k8s.api.apps.v1.StatefulSetSpec')

/** What is wrong with one object; nothing when it is as its schema wants it. */
export function schemaProblems(object: Manifest): string[] {
  const kind = `${object.apiVersion} ${object.kind}`
  const validate = validators.get(kind)
  if (!validate) return [`${nameOf(object)}: there is no schema of ${kind} (tools/kubernetes-check/schemas/sources.ts)`]
  const problems = [
    ...errorsOf(validate, object),
    // A custom resource's own schema leaves these two open.
    ...errorsOf(validateMetadata, object.metadata, '/metadata'),
    ...errorsOf(validateStatefulSet, statefulSetOf(object), '/spec/statefulSet/spec').filter(
      ({ keyword }) => keyword !== 'required',
    ),
  ]
  return [...new Set(problems.map(({ text }) => `${nameOf(object)}: ${text}`))]
}

/** Two objects of one name: the later would replace the earlier. */
export function duplicateProblems(objects: readonly Manifest[]): string[] {
  const names = objects.map((object) => `${object.apiVersion} ${nameOf(object)}`)
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map((name) => `${name}: there are two`)
}

function errorsOf(validate: ValidateFunction, value: unknown, at = ''): { text: string; keyword: string }[] {
  if (value === undefined || validate(value)) return []
  return (validate.errors ?? []).map((error) => ({ keyword: error.keyword, text: `${at}${error.instancePath} ${said(error)}` }))
}

function said({ message = '', params }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as Readonly<Record<string, unknown>>
  if (typeof additionalProperty === 'string') return `must not have "${additionalProperty}": no such field`
  return Array.isArray(allowedValues) ? `${message}: ${allowedValues.join(', ')}` : message
}

/** What the MongoDB operator merges into its StatefulSet: a part of one, so nothing is required of it. */
function statefulSetOf(object: Manifest): unknown {
  const { spec } = object as { spec?: unknown }
  return object.kind === 'MongoDBCommunity' && isMap(spec) && isMap(spec['statefulSet']) ? spec['statefulSet']['spec'] : undefined
}

function readSchemas(file: string): { readonly kinds: Tree; readonly definitions: Tree } {
  const schemas: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
  if (!isMap(schemas) || !isMap(schemas['kinds']) || !isMap(schemas['definitions'])) throw new Error(`${file} holds no schemas`)
  return { kinds: schemas['kinds'], definitions: schemas['definitions'] }
}
