import { linkOf } from '../../../src-preload/domain/links.ts'
import { type Route, routeHref } from '../route.ts'

/**
 * The `tondesk://` link to a page; null for a page without a link.
 * @param network the selected network, on which a route without a network is shown
 */
export function linkToRoute(route: Route, network: string | null): string | null {
  const isComplete = !('network' in route) || route.network !== null
  return linkOf(routeHref(isComplete || network === null ? route : { ...route, network }))
}
