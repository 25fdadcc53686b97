/** Imported by tests that start services, and first in their child processes: records queries when `npm test` asks for it. */
import { recordQueries } from './recorder.ts'

const { QUERY_RECORDS: directory } = process.env
if (directory) recordQueries(directory)
