import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Counters } from './counters.ts'

/** What PostgreSQL under FerretDB counts. Its processes tell of tables when they have been idle for ten seconds (pgstat.c). */
export interface PostgresReadings {
  readonly written: Counters
  readonly stored: Counters
  readonly log: Counters
}

export const TOLD_WITHIN_MS = 12_000

interface Answer {
  readonly log: Counters
  readonly tables: readonly {
    readonly database: string
    readonly collection: string
    readonly inserted: number
    readonly updated: number
    readonly deleted: number
    readonly documents_bytes: number
    readonly indexes_bytes: number
  }[]
}

/** `documents_<id>` is DocumentDB's table of a collection. */
const QUERY = `select json_build_object(
  'log', (select json_build_object(
    'bytes', pg_current_wal_insert_lsn() - '0/0',
    'forced to disk', (select sum(fsyncs) from pg_stat_io where object = 'wal'),
    'bytes to the log''s files', (select sum(write_bytes) from pg_stat_io where object = 'wal'),
    'bytes to other files', (select sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) from pg_stat_io where object <> 'wal'),
    'transactions', (select sum(xact_commit) from pg_stat_database))),
  'tables', (select json_agg(json_build_object(
    'database', database_name, 'collection', collection_name,
    'inserted', n_tup_ins, 'updated', n_tup_upd, 'deleted', n_tup_del,
    'documents_bytes', pg_table_size(relid), 'indexes_bytes', pg_indexes_size(relid)))
    from documentdb_api_catalog.collections
    join pg_stat_user_tables on schemaname = 'documentdb_data' and relname = 'documents_' || collection_id))`
const PSQL = '/usr/lib/postgresql/18/bin/psql'
const ANSWERS_WITHIN_MS = 10_000

/** Asks by the server's own client, in the root file system that the server was started in. */
export async function readPostgres(
  server: { readonly pid: number; readonly port: number },
  databasePrefix: string,
): Promise<PostgresReadings> {
  const args = ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'postgres', '-AtXc', QUERY]
  const { stdout } = await promisify(execFile)('chroot', [`/proc/${server.pid}/root`, PSQL, ...args], {
    timeout: ANSWERS_WITHIN_MS,
  })
  // Its shape is the query's.
  const { log, tables } = JSON.parse(stdout) as Answer
  const [written, stored]: [Record<string, number>, Record<string, number>] = [{}, {}]
  for (const { database, collection, ...table } of tables) {
    if (!database.startsWith(databasePrefix) || database === `${databasePrefix}limit`) continue
    const name = `${database.slice(databasePrefix.length)}.${collection}`
    written[`${name} inserted`] = table.inserted
    written[`${name} updated`] = table.updated
    written[`${name} deleted`] = table.deleted
    stored[`${name} documents`] = table.documents_bytes
    stored[`${name} indexes`] = table.indexes_bytes
  }
  return { written, stored, log }
}
