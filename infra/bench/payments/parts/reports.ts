/** Where the network reports at the edge. */
export const REPORTS = '/reports'
