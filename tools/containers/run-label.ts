/** On everything that a run starts, so that what is left of it can be found, and nothing of another run. */
export const RUN_LABEL = 'payment-gateway.run'

/** The name of this run: `npm run test:containers` draws it. */
export function runName(): string {
  const name = process.env['CONTAINERS_RUN']
  if (name === undefined || name === '') throw new Error('tests of images are run with npm run test:containers')
  return name
}
