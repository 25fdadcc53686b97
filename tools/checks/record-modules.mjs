/** Preloaded by module-graph.test.ts: writes the URL of every module that the process loads, one a line, to the file named in `MODULES_FILE`. */
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.MODULES_FILE, `${url}\n`)
    return nextLoad(url, context)
  },
})
