import { Gauge } from 'prom-client'
import type { Metrics } from './metrics.ts'
import type { MasterKeys } from '../secrets/seal.ts'

/** Publishes which master keys a replica has. An old key may be removed only after every replica seals with the new one. */
export function masterKeyMetric({ registry }: Metrics, keys: MasterKeys): void {
  const gauge = new Gauge({
    name: 'master_keys',
    help: 'Master keys that this replica has, by id; seals="yes" for the one that seals',
    labelNames: ['key_id', 'seals'],
    registers: [registry],
  })
  for (const [index, keyId] of [...keys.keys()].entries()) gauge.set({ key_id: keyId, seals: index === 0 ? 'yes' : 'no' }, 1)
}
