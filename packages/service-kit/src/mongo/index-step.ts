import type { EnvReader } from '../config/reader.ts'
import type { DatabaseConfig } from '../config/common.ts'
import { buildIndexes, type OwnIndexesOf } from './indexes.ts'
import { withConfig } from '../process/lifecycle.ts'

/**
 * A service's `build-indexes.ts`: builds missing indexes and exits with 0 when all exist. It can be repeated, also beside
 * running services, and removes nothing (docs/operations/deploying.md).
 */
export async function runIndexStep<Config extends DatabaseConfig & { readonly logLevel: string }>(
  service: string,
  read: (env: EnvReader) => Config,
  indexesOf: (config: Readonly<Config>) => OwnIndexesOf,
): Promise<void> {
  await withConfig(service, read, (config, log) => buildIndexes(config, indexesOf(config), log))
}
