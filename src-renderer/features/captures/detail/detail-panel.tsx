import { useState } from 'react'
import type { Shell } from '../../../../src-preload/contract/capture.ts'
import { classes } from '../../../ui/classes.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useAccountName } from '../../../components/chain/account-link.tsx'
import { CaptureForwards } from '../../../components/delivery/capture-forwards.tsx'
import { BodyTab } from '../body/body-tab.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { closeDetail } from '../inspector-commands.ts'
import { detail, useInspector } from '../inspector.ts'
import type { OpenCapture } from '../inspector-state.ts'
import { originWords, titleOf } from '../list/row-words.ts'
import { MeaningTab } from '../meaning/meaning-tab.tsx'
import { TimelineTab } from '../timeline/timeline-tab.tsx'
import { DetailActionsBar } from './detail-actions-bar.tsx'
import { DetailsTab } from './details-tab.tsx'
import { HeadersTab } from './headers-tab.tsx'
import { NoteEditor } from './note-editor.tsx'
import styles from './detail.module.css'

type Props = {
  shell: Shell
  /** Id of the capture whose note is being written. */
  noteOf: number | null
  onNote: (id: number | null) => void
}

/** The capture that is open, in whichever state it is. */
export function DetailPanel(props: Props) {
  const state = useInspector((now) => now.detail)
  switch (state.status) {
    case 'closed':
      return null
    case 'loading':
      return state.former === null ? (
        <Skeleton rows={8} label="Loading the capture" />
      ) : (
        <Detail {...props} open={state.former} isStale />
      )
    case 'gone':
      return (
        <EmptyState
          title={`Capture ${state.id} is not here any more`}
          detail="It was deleted, or retention made room for newer ones. Its link leads nowhere now."
        >
          <Button onClick={closeDetail}>Back to the list</Button>
        </EmptyState>
      )
    case 'failed':
      return (
        <FailedState
          what={`Capture ${state.id} could not be read`}
          why={state.error.message}
          onRetry={() => void detail.open(state.id)}
        />
      )
    case 'ready':
      return <Detail {...props} open={state} isStale={false} />
  }
}

type Tab = 'meaning' | 'body' | 'headers' | 'forwards' | 'timeline' | 'details'

function Detail({
  open,
  isStale,
  shell,
  noteOf,
  onNote,
}: Props & { open: OpenCapture; isStale: boolean }) {
  const [chosen, choose] = useState<Tab | null>(null)
  const { id, capture } = open
  // What the gateway did not send has no other meaning than its body.
  const title = titleOf(capture, useAccountName(capture))
  const tab = chosen ?? (capture.kind === 'unknown' ? 'body' : 'meaning')
  return (
    <section
      className={classes(styles['detail'], isStale && styles['stale'])}
      aria-label={`Capture ${id}`}
      aria-busy={isStale}
    >
      <div className={classes(pane['head'], styles['head'])}>
        <h2
          className={classes(pane['title'], styles['title'])}
          title={[title, capture.account].filter((each) => each !== null).join('\n')}
        >
          <UntrustedText text={title} />
        </h2>
        {capture.origin !== 'received' && (
          <Tag title={originWords[capture.origin]}>{capture.origin}</Tag>
        )}
        <DetailActionsBar open={open} shell={shell} onNote={() => onNote(id)} />
      </div>
      <div className={styles['noteLine']}>
        {noteOf === id ? (
          <NoteEditor key={id} id={id} note={capture.note} onDone={() => onNote(null)} />
        ) : (
          capture.note !== '' && (
            <button type="button" className={styles['written']} onClick={() => onNote(id)}>
              <UntrustedText text={capture.note} />
            </button>
          )
        )}
      </div>
      <Tabs<Tab>
        label="Capture"
        value={tab}
        onChange={choose}
        className={styles['tabs']}
        tabs={[
          // By the id, so that nothing of the former is shown as this one's.
          { value: 'meaning', label: 'Meaning', panel: <MeaningTab key={id} capture={capture} /> },
          { value: 'body', label: 'Body', panel: <BodyTab open={open} /> },
          {
            value: 'headers',
            label: 'Headers',
            count: capture.headers.length,
            panel: <HeadersTab open={open} />,
          },
          {
            value: 'forwards',
            label: 'Forwards',
            panel: <CaptureForwards key={id} id={id} />,
          },
          { value: 'timeline', label: 'Timeline', panel: <TimelineTab key={id} id={id} /> },
          { value: 'details', label: 'Details', panel: <DetailsTab open={open} /> },
        ]}
      />
    </section>
  )
}
