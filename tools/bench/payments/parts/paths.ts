/** Where the network reports at the edge. */
export const REPORTS = '/reports'
/** As merchants search, and as status is asked. */
export const SEARCH = '/api/v1/order/search'
/** Where orders tells the customers of several orders. */
export const CUSTOMERS = '/customers'
