/** What a container is told by its environment, and where the files that it names come from. */
import { ofKind, type Container, type Manifest, type PodSpec } from './manifests.ts'

/** A file that a Secret brings. */
export interface SecretFile {
  readonly path: string
  readonly secret: string
  readonly key: string
}

/** Its variables, by name; those of ConfigMaps included. What names a ConfigMap or a key that is not there is a problem. */
export function variablesOf(
  container: Container,
  objects: readonly Manifest[],
): { readonly variables: Readonly<Record<string, string>>; readonly problems: readonly string[] } {
  const maps = new Map(ofKind(objects, 'ConfigMap').map(({ metadata, data = {} }) => [metadata.name, data]))
  const variables: Record<string, string> = {}
  const problems: string[] = []
  for (const { configMapRef } of container.envFrom ?? []) {
    const data = maps.get(configMapRef?.name ?? '')
    if (!data) problems.push(`there is no ConfigMap ${configMapRef?.name ?? '(without a name)'}`)
    Object.assign(variables, data)
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const { configMapKeyRef: reference } = valueFrom ?? {}
    const given = value ?? (reference && maps.get(reference.name)?.[reference.key])
    if (given === undefined) problems.push(`${name} has no value`)
    else variables[name] = given
  }
  return { variables, problems }
}

/** The files of Secrets in a container, by the folders where they are mounted. */
export function secretFilesOf(container: Container, { volumes = [] }: PodSpec): SecretFile[] {
  return (container.volumeMounts ?? []).flatMap(({ name, mountPath }) =>
    volumes
      .filter((volume) => volume.name === name)
      .flatMap(({ projected }) => projected?.sources ?? [])
      .flatMap(({ secret }) =>
        (secret?.items ?? []).map(({ key, path }) => ({ path: `${mountPath}/${path}`, secret: secret?.name ?? '', key })),
      ),
  )
}
