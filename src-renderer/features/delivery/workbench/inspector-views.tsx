import { type Route, emptyQuery, printRoute, useRoute } from '../../../app/route.ts'
import { PageViews } from '../../../ui/page-views.tsx'

const views: readonly (readonly [key: string, label: string, to: Route])[] = [
  ['captures', 'Captures', { page: 'inspector', captureId: null, query: emptyQuery }],
  ['forwarding', 'Forwarding', { page: 'workbench', view: 'forwarding', rule: null }],
  ['replays', 'Replays', { page: 'workbench', view: 'replays', job: null }],
  ['answers', 'Answers', { page: 'workbench', view: 'answers' }],
  ['tunnels', 'Tunnels', { page: 'workbench', view: 'tunnels' }],
]

/** The parts of the inspector: what was received, and what is done with it. */
export function InspectorViews() {
  const route = useRoute((each) => each.route)
  const shown = route.page === 'workbench' ? route.view : 'captures'
  return (
    <PageViews
      label="Inspector"
      views={views.map(([key, label, to]) => ({
        href: printRoute(to),
        label,
        current: key === shown ? 'page' : undefined,
      }))}
    />
  )
}
