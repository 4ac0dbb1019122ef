import { formatLink, parseId } from './link.ts'

/** The views of the inspector beside the list of captures, for actions on captures. */
export type DeliveryRoute =
  | { readonly page: 'delivery'; readonly view: 'forwarding'; readonly rule: number | null }
  /** The responses of one replay; the list of replays is on the Jobs page. */
  | { readonly page: 'delivery'; readonly view: 'replays'; readonly job: number }
  | { readonly page: 'delivery'; readonly view: 'responses' }
  | { readonly page: 'delivery'; readonly view: 'tunnels' }
  | {
      readonly page: 'delivery'
      readonly view: 'compare'
      /** The compared request in the form of `formatComparable`: `capture-12`, `replay-3-0`, `forward-…`. */
      readonly left: string
      readonly right: string
    }

/** @returns null for an unknown path */
export function parseDeliveryRoute(
  parts: readonly string[],
  search: URLSearchParams,
): DeliveryRoute | null {
  const [view = '', id = ''] = parts
  const page = 'delivery'
  const number = parseId(id)
  switch (view) {
    case 'forwarding':
      return id === '' || number !== null ? { page, view, rule: number } : null
    case 'replays':
      return number === null ? null : { page, view, job: number }
    // Earlier versions used these addresses.
    case 'answers':
    case 'responses':
      return { page, view: 'responses' }
    case 'tunnels':
      return { page, view }
    case 'compare':
      return { page, view, left: search.get('left') ?? '', right: search.get('right') ?? '' }
    default:
      return null
  }
}

/** The address begins with the inspector's own, whose captures have numbers. */
export function formatDeliveryRoute(route: DeliveryRoute): string {
  const id = 'rule' in route ? route.rule : 'job' in route ? route.job : null
  const compared = route.view === 'compare' ? { left: route.left, right: route.right } : {}
  return formatLink(['inspector', route.view, id], compared)
}
