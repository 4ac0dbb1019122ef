import { type Route, emptyQuery, routeHref, useRoute } from '../../app/route.ts'
import { PageViews } from '../../ui/page.tsx'

const views: readonly (readonly [key: string, label: string, to: Route])[] = [
  ['captures', 'Captures', { page: 'inspector', captureId: null, query: emptyQuery }],
  ['forwarding', 'Forwarding', { page: 'workbench', view: 'forwarding', rule: null }],
  ['replays', 'Replays', { page: 'workbench', view: 'replays', job: null }],
  ['answers', 'Responses', { page: 'workbench', view: 'answers' }],
  ['tunnels', 'Tunnels', { page: 'workbench', view: 'tunnels' }],
]

/** The views of the Inspector: the captures, and what is done with them. */
export function InspectorViews() {
  const route = useRoute((each) => each.route)
  const shown = route.page === 'workbench' ? route.view : 'captures'
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
