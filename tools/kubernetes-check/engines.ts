/** What the operators of database and broker write into Secrets, as their sources say it (pinned in ../schemas/sources.ts). */
import { ofKind, type Manifest } from './manifests.ts'

/** A Secret that an operator writes. */
export interface WrittenSecret {
  readonly name: string
  readonly keys: readonly string[]
}

/** The members of the replica set, by its own Service. */
export function mongoHosts(objects: readonly Manifest[]): string[] {
  return ofKind(objects, 'MongoDBCommunity').flatMap(({ metadata: { name, namespace = 'default' }, spec }) =>
    Array.from({ length: spec.members ?? 0 }, (_, index) => `${name}-${index}.${name}-svc.${namespace}.svc.cluster.local`),
  )
}

/** One name for all nodes. */
export function brokerHosts(objects: readonly Manifest[]): string[] {
  return ofKind(objects, 'RabbitmqCluster').map(({ metadata: { name, namespace = 'default' } }) => `${name}.${namespace}.svc`)
}

/** `MONGO_URL` and `AMQP_URL` as services get them, with a password that is given. */
export function engineUrls(objects: readonly Manifest[], user: string, password: string): Readonly<Record<string, string>> {
  const hosts = mongoHosts(objects).map((host) => `${host}:27017`)
  return {
    MONGO_URL: `mongodb://${user}:${password}@${hosts.join(',')}/admin?replicaSet=mongodb&ssl=true`,
    AMQP_URL: brokerHosts(objects)
      .map((host) => `amqps://default_user_${user}:${password}@${host}:5671/`)
      .join(','),
  }
}

export function writtenSecrets(objects: readonly Manifest[]): WrittenSecret[] {
  const users = ofKind(objects, 'MongoDBCommunity').flatMap(({ spec }) => spec.users ?? [])
  return [
    ...users.map(({ connectionStringSecretName: name }) => ({ name, keys: ['connectionString.standard', 'password'] })),
    ...ofKind(objects, 'RabbitmqCluster').map(({ metadata }) => ({
      name: `${metadata.name}-default-user`,
      keys: ['connection_string', 'username', 'password'],
    })),
    ...ofKind(objects, 'Certificate').map(({ spec }) => ({ name: spec.secretName, keys: ['ca.crt', 'tls.crt', 'tls.key'] })),
  ]
}
