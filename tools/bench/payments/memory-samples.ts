/** Resident memory of each process, in MiB, when so many payments were done. */
export interface MemorySample {
  readonly payments: number
  readonly mb: Readonly<Record<string, number>>
}

const TENTHS = 10
/** Payments before each mark, of a tenth, whose samples count: memory goes up and down by several MiB between collections. */
const WINDOW = 0.3

export function growthOf(name: string, samples: readonly MemorySample[], payments: number) {
  const tenth = payments / TENTHS
  const near = (mark: number): number => {
    const before = samples.filter((one) => one.payments <= mark * tenth)
    // In a short run several marks may lie between two samples.
    const from = Math.min((mark - WINDOW) * tenth, highest(before.map((one) => one.payments)))
    return highest(before.filter((one) => one.payments >= from).map(({ mb }) => mb[name]))
  }
  const tenthsMb = Array.from({ length: TENTHS }, (_, index) => near(index + 1))
  const [first = NaN, middle = NaN, last = NaN] = [tenthsMb[0], tenthsMb[TENTHS / 2 - 1], tenthsMb.at(-1)]
  return {
    name,
    /** The highest that was seen about then: a tenth of all payments, two tenths, and so on. */
    tenthsMb,
    /** After all payments ÷ after the first tenth. */
    ratio: last / first,
    maxMb: highest(samples.map(({ mb }) => mb[name])),
    /** Growth per tenth in the second half; a leak would continue at this rate. */
    addedPerTenthMb: (last - middle) / (TENTHS / 2),
  }
}

/** NaN when there is none, or when one could not be read: a figure that is missing must not look like a good one. */
function highest(values: readonly (number | undefined)[]): number {
  return values.length === 0 ? NaN : Math.max(...values.map((value) => value ?? NaN))
}
