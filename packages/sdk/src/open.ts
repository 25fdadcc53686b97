/** One of the named texts, or a text that a later version of the API adds. */
export type Open<Known extends string> = Known | (string & {})
