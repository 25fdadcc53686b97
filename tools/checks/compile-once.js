import vm from 'node:vm'
import { TestEnvironment } from 'jest-environment-node'

const compile = vm.compileFunction
/** V8's compiled code by file name: of libraries alone, which do not change while tests run. */
const compiled = new Map()

/** Jest compiles every CommonJS file with this function, again for each test file. */
vm.compileFunction = (code, parameters, options) => {
  const { filename = '' } = options ?? {}
  if (!filename.includes('/node_modules/')) return compile(code, parameters, options)
  const cachedData = compiled.get(filename)
  if (cachedData) return compile(code, parameters, { ...options, cachedData })
  const made = compile(code, parameters, { ...options, produceCachedData: true })
  compiled.set(filename, made.cachedData)
  return made
}

/** Jest's environment for Node, where a worker compiles each library once: about a sixth of the CPU of an integration test's start. */
export default TestEnvironment
