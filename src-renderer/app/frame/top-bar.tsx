import type { ReactNode } from 'react'
import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import { shortenReceiverUrl } from '../../ui/format.ts'
import { formatKeys } from '../../ui/keyboard.ts'
import { useData } from '../bridge.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { Dot, Kbd, Row, Text } from '../../ui/layout.tsx'
import { startReceiver } from '../receiver-state.ts'
import { CopyLink } from './copy-link.tsx'
import { NetworkChip } from './network-chip.tsx'
import { NoticeTray } from './notice-tray.tsx'
import { openPalette } from './overlays.ts'
import styles from './frame.module.css'

export function TopBar() {
  const { data: state, error, refetch } = useData('receiver.state')
  return (
    <header className={styles['topBar']}>
      <Row gap="l">
        <NetworkChip />
        {state !== undefined && <Receiver state={state} />}
        {state === undefined && error !== null && (
          <ReceiverStatus tone="bad" text="Could not load the receiver’s state">
            <Button onClick={() => void refetch()}>Try again</Button>
          </ReceiverStatus>
        )}
        <Row last>
          <CopyLink />
          <NoticeTray />
          <button
            type="button"
            className={styles['find']}
            title="Search or run a command"
            onClick={openPalette}
          >
            <Text over="cut">Search or run a command</Text> <Kbd>{formatKeys('mod+k')}</Kbd>
          </button>
        </Row>
      </Row>
    </header>
  )
}

function Receiver({ state: { status, url, problem, writable } }: { state: ReceiverState }) {
  if (status === 'listening' && url !== null && writable) {
    return (
      <ReceiverStatus tone="ok" text="Receiving requests at">
        <Text mono tone="dim" over="cut" title={url}>
          {shortenReceiverUrl(url)}
        </Text>
        <CopyButton text={url} what="Receiver URL" />
      </ReceiverStatus>
    )
  }
  if (status === 'listening') {
    return (
      <ReceiverStatus
        tone="bad"
        text="Receiving is paused: captures cannot be written, so senders receive 503"
        title={problem}
      />
    )
  }
  const start = () => void startReceiver()
  if (status === 'failed') {
    return (
      <ReceiverStatus
        tone="bad"
        text={`Not receiving: ${problem ?? 'the receiver has failed'}`}
        title={problem}
      >
        <Button onClick={start}>Try again</Button>
      </ReceiverStatus>
    )
  }
  return (
    <ReceiverStatus tone="bad" text="Not receiving: the receiver is stopped">
      <Button onClick={start}>Start</Button>
    </ReceiverStatus>
  )
}

function ReceiverStatus({
  tone,
  text,
  title = null,
  children,
}: {
  tone: 'ok' | 'bad'
  text: string
  title?: string | null
  children?: ReactNode
}) {
  return (
    <Row>
      <Dot tone={tone} />
      <Text
        size="s"
        tone={tone === 'bad' ? 'bad' : 'dim'}
        strong={tone === 'bad'}
        over="cut"
        title={title ?? text}
      >
        {text}
      </Text>
      {children}
    </Row>
  )
}
