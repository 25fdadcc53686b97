/** Three figures: a measurement cannot say more. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3))
}
