/** The parts of the inspector beside the list of captures: what is done with them. */
export type DeliveryRoute =
  | { readonly page: 'delivery'; readonly view: 'forwarding'; readonly rule: number | null }
  | { readonly page: 'delivery'; readonly view: 'replays'; readonly job: number | null }
  | { readonly page: 'delivery'; readonly view: 'answers' }
  | { readonly page: 'delivery'; readonly view: 'tunnels' }
  | {
      readonly page: 'delivery'
      readonly view: 'compare'
      /** As `printComparable` has them: `capture-12`, `replay-3-0`, `forward-…`. */
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
      return { page, view, rule: numberOf(id) }
    case 'replays':
      return { page, view, job: numberOf(id) }
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
  const home = `#/inspector/${route.view}`
  switch (route.view) {
    case 'forwarding':
      return route.rule === null ? home : `${home}/${route.rule}`
    case 'replays':
      return route.job === null ? home : `${home}/${route.job}`
    case 'answers':
    case 'tunnels':
      return home
    case 'compare': {
      const { left, right } = route
      return `${home}?${new URLSearchParams({ left, right }).toString()}`
    }
  }
}

function numberOf(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null
  return id !== null && Number.isSafeInteger(id) ? id : null
}
