/** The parts of the inspector beside the list of captures: what is done with them. */
export type WorkbenchRoute =
  | { readonly page: 'workbench'; readonly view: 'forwarding'; readonly rule: number | null }
  | { readonly page: 'workbench'; readonly view: 'replays'; readonly job: number | null }
  | { readonly page: 'workbench'; readonly view: 'answers' }
  | { readonly page: 'workbench'; readonly view: 'tunnels' }
  | {
      readonly page: 'workbench'
      readonly view: 'compare'
      /** As `printComparable` has them: `capture-12`, `replay-3-0`, `forward-…`. */
      readonly left: string
      readonly right: string
    }

export type WorkbenchView = WorkbenchRoute['view']

/** @returns null for what is no part of the workbench */
export function parseWorkbench(
  parts: readonly string[],
  search: URLSearchParams,
): WorkbenchRoute | null {
  const [view = '', id = ''] = parts
  const page = 'workbench'
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
export function formatDeliveryRoute(route: WorkbenchRoute): string {
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
