type Preset = {
  readonly id: string
  readonly label: string
  /** The text of the query. */
  readonly text: string
  /** Other words that find the preset in the palette. */
  readonly words: string
}

const preset = (id: string, label: string, text: string, words: string): Preset => ({
  id,
  label,
  text,
  words,
})

/** The choice that selects all captures. */
export const allCaptures = { label: 'All captures', subject: { kind: 'query', text: '' } } as const

/** Queries that users need often. */
export const queryPresets: readonly Preset[] = [
  preset('pinned', 'Pinned captures', 'pinned:yes', 'kept marked'),
  preset('today', 'Captures received today', 'received:today', 'time day'),
  preset(
    'refused',
    'Captures with a response other than 2xx',
    '-status:2xx',
    'refused failed errors',
  ),
  preset('wrong-token', 'Captures with a wrong or missing token', 'token:wrong,missing', 'bearer'),
  preset('duplicates', 'Duplicate deliveries', 'duplicate:yes', 'again twice captures'),
  preset('out-of-order', 'Deliveries out of order', 'order:late', 'lt logical time captures'),
  preset('unforwarded', 'Captures not forwarded', 'forwarded:failed,dropped', 'target'),
  preset('failed-tx', 'Captures of failed transactions', 'success:no', 'exit code'),
  preset('invoices-told', 'Captures about invoices', 'invoice:*', 'paid'),
  preset('unknown-network', 'Captures of an unknown network', 'network:unknown', 'whose'),
]
