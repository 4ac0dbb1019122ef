import { useRoute } from '../../app/route.ts'
import type { WorkbenchView } from '../../app/workbench-route.ts'
import { InspectorViews } from '../../components/delivery/inspector-views.tsx'
import { ReplayStrip } from '../../components/delivery/replays.tsx'
import { Pane } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { CompareView } from './compare-view.tsx'
import { ForwardingView } from './forwarding-view.tsx'
import { ReplaysView } from './replays-view.tsx'
import { ResponseRulesView } from './response-rules-view.tsx'
import { TunnelsView } from './tunnels-view.tsx'

/** What is done with captures: forwarding, replays, responses, tunnels. */
export function WorkbenchPage() {
  const route = useRoute((each) => each.route)
  if (route.page !== 'workbench') return null
  return (
    <Page title="Inspector" scroll={false} beside={<InspectorViews />}>
      <Pane>
        <ReplayStrip />
        <div>
          <View view={route.view} />
        </div>
      </Pane>
    </Page>
  )
}

function View({ view }: { view: WorkbenchView }) {
  switch (view) {
    case 'forwarding':
      return <ForwardingView />
    case 'replays':
      return <ReplaysView />
    case 'answers':
      return <ResponseRulesView />
    case 'tunnels':
      return <TunnelsView />
    case 'compare':
      return <CompareView />
  }
}
