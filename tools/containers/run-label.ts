/** The label of everything that a run starts: it tells the run's own leftovers from those of other runs. */
export const RUN_LABEL = 'payment-gateway.run'

/** The name of this run, which `npm run test:containers` sets. */
export function runName(): string {
  const name = process.env['CONTAINERS_RUN']
  if (name === undefined || name === '')
    throw new Error('CONTAINERS_RUN is not set: run the image tests with npm run test:containers')
  return name
}
