import { useRoute } from '../../../app/route.ts'
import { Page } from '../../../ui/page.tsx'
import pane from '../../../ui/pane.module.css'
import type { WorkbenchView } from '../../../app/workbench-route.ts'
import { AnswersView } from '../answers/answers-view.tsx'
import { CompareView } from '../compare/compare-view.tsx'
import { ForwardingView } from '../forwarding/forwarding-view.tsx'
import { ReplayStrip } from '../replays/replay-strip.tsx'
import { ReplaysView } from '../replays/replays-view.tsx'
import { TunnelsView } from '../tunnels/tunnels-view.tsx'
import { InspectorViews } from './inspector-views.tsx'

/** What is done with captures: sent on, sent again, answered, let in through a tunnel. */
export function WorkbenchPage() {
  const route = useRoute((each) => each.route)
  if (route.page !== 'workbench') return null
  return (
    <Page title="Inspector" scroll={false} beside={<InspectorViews />}>
      <div className={pane['pane']}>
        <ReplayStrip />
        <View view={route.view} />
      </div>
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
      return <AnswersView />
    case 'tunnels':
      return <TunnelsView />
    case 'compare':
      return <CompareView />
  }
}
