import { formatLink, parseId } from './link.ts'

/** The parts of the inspector beside the list of captures: what is done with them. */
export type DeliveryRoute =
  | { readonly page: 'delivery'; readonly view: 'forwarding'; readonly rule: number | null }
  | { readonly page: 'delivery'; readonly view: 'replays'; readonly job: number | null }
  | { readonly page: 'delivery'; readonly view: 'answers' }
  | { readonly page: 'delivery'; readonly view: 'tunnels' }
  | {
      readonly page: 'delivery'
      readonly view: 'compare'
      /** The compared request in the form of `printComparable`: `capture-12`, `replay-3-0`, `forward-…`. */
      readonly left: string
      readonly right: string
    }

export type DeliveryView = DeliveryRoute['view']

/** @returns null for what is no part of the workbench */
export function parseDeliveryRoute(
  parts: readonly string[],
  search: URLSearchParams,
): DeliveryRoute | null {
  const [view = '', id = ''] = parts
  const page = 'delivery'
  switch (view) {
    case 'forwarding':
      return { page, view, rule: parseId(id) }
    case 'replays':
      return { page, view, job: parseId(id) }
    case 'answers':
    case 'tunnels':
      return { page, view }
    case 'compare':
      return { page, view, left: search.get('left') ?? '', right: search.get('right') ?? '' }
    default:
      return null
  }
}

/** Below the inspector's own address, whose captures have numbers. */
export function formatDeliveryRoute(route: DeliveryRoute): string {
  const id = 'rule' in route ? route.rule : 'job' in route ? route.job : null
  const compared = route.view === 'compare' ? { left: route.left, right: route.right } : {}
  return formatLink(['inspector', route.view, id], compared)
}
