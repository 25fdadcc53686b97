/** Everything that a stack left anywhere: its directory, the files of its engines, every document of its databases. */
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { nativeDataDir } from '@gateway-infra/offline/backing/native-data'
import type { Finding } from './finder/find-cards.ts'
import { scanStream } from './finder/scan-stream.ts'
import { documents } from './sources/documents.ts'
import { engineFiles, stackFiles } from './sources/files.ts'
import type { Source } from './sources/source.ts'

export interface StackToScan {
  readonly stackDir: string
  /** Where native engines keep their data, below `rootfs/data`. */
  readonly cacheDir: string
  /** Missing, no document is read. */
  readonly mongoUrl: string | undefined
  /** What the names of its databases begin with. */
  readonly databasePrefix: string
}

export interface ScannedSource {
  readonly group: string
  readonly name: string
  readonly bytes: number
  readonly findings: readonly Finding[]
}

/** Reads one source after the other, so that memory stays bounded. Throws when a source cannot be read. */
export async function scanStack({ stackDir, cacheDir, mongoUrl, databasePrefix }: StackToScan): Promise<ScannedSource[]> {
  const files = await stackFiles(stackDir)
  const engines = await engineFiles(join(cacheDir, 'rootfs', nativeDataDir(stackDir)))
  const scanned = await scanAll([...files, ...engines])
  if (mongoUrl === undefined) return scanned
  const client = await new mongo.MongoClient(mongoUrl, { serverSelectionTimeoutMS: 5000 }).connect()
  try {
    return [...scanned, ...(await scanAll(await documents(client, databasePrefix)))]
  } finally {
    await client.close()
  }
}

async function scanAll(sources: readonly Source[]): Promise<ScannedSource[]> {
  const scanned: ScannedSource[] = []
  for (const { group, name, policy, open } of sources) scanned.push({ group, name, ...(await scanStream(open(), policy)) })
  return scanned
}
