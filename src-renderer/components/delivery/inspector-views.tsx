import { type Route, emptyQuery, routeHref, useRoute } from '../../app/route.ts'
import { PageViews } from '../../ui/page.tsx'

const views: readonly (readonly [key: string, label: string, to: Route])[] = [
  ['captures', 'Captures', { page: 'captures', captureId: null, query: emptyQuery }],
  ['forwarding', 'Forwarding', { page: 'delivery', view: 'forwarding', rule: null }],
  ['replays', 'Replays', { page: 'delivery', view: 'replays', job: null }],
  ['answers', 'Responses', { page: 'delivery', view: 'answers' }],
  ['tunnels', 'Tunnels', { page: 'delivery', view: 'tunnels' }],
]

/** The views of the Inspector: the captures, and what is done with them. */
export function InspectorViews() {
  const route = useRoute((each) => each.route)
  const shown = route.page === 'delivery' ? route.view : 'captures'
  return (
    <PageViews
      label="Inspector"
      views={views.map(([key, label, to]) => ({
        href: routeHref(to),
        label,
        current: key === shown ? 'page' : undefined,
      }))}
    />
  )
}
