import { useState } from 'react'
import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import type { Shell } from '../../../src-preload/contract/capture.ts'
import { useData } from '../../app/bridge.ts'
import { startReceiver } from '../../app/receiver-state.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState, FailedState, Loaded } from '../../ui/loaded.tsx'
import { Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { Select } from '../../ui/form.tsx'
import { sampleCommand, shellOptions } from './sample-webhook.ts'
import { SandboxStart } from './sandbox-steps.tsx'

/** Replaces the captures while there are none by ways to a first capture. */
export function FirstCapture() {
  return (
    <Loaded query={useData('receiver.state')} of="the state of the receiver" rows={5}>
      {(state) => <Ways state={state} />}
    </Loaded>
  )
}

function Ways({ state: { status, url, problem } }: { state: ReceiverState }) {
  if (status === 'failed') {
    return (
      <FailedState
        what="The receiver is not listening"
        why={problem ?? 'The receiver could not be started.'}
        onRetry={() => void startReceiver()}
      />
    )
  }
  if (status === 'stopped' || url === null) {
    return (
      <EmptyState
        title="The receiver is stopped"
        detail="Start the receiver to get a URL for webhooks. Nothing has been captured yet."
      >
        <Button kind="main" icon="play" onClick={() => void startReceiver()}>
          Start the receiver
        </Button>
      </EmptyState>
    )
  }
  return (
    <Stack gap="none">
      <Stack gap="xs" pad="l" line="below">
        <Text as="h2" size="l">
          Send your first webhook
        </Text>
        <Text as="p" tone="dim">
          The receiver stores each request byte for byte before it responds. Tondesk shows the
          request here immediately.
        </Text>
      </Stack>
      <SandboxStart />
      <Section title="Or send a webhook from your own software to the receiver URL">
        <Row wrap>
          <Text mono over="break">
            {url}
          </Text>
          <CopyButton text={url} what="Receiver URL" kind="main" />
        </Row>
      </Section>
      <Section title="Or paste this command into a terminal">
        <SampleCommand url={url} />
      </Section>
      <Row pad="l">
        <Text tone="dim" role="status">
          Waiting for the first webhook…
        </Text>
      </Row>
    </Stack>
  )
}

/** A command that posts a sample webhook. */
export function SampleCommand({ url }: { url: string }) {
  const platform = useData('app.info').data?.platform
  const [chosen, setChosen] = useState<Shell | null>(null)
  const shell = chosen ?? (platform?.startsWith('win') === true ? 'powershell' : 'posix')
  const command = sampleCommand(url, shell)
  return (
    <Stack gap="s">
      <Row>
        <Select label="Shell" value={shell} onChange={setChosen} options={shellOptions} />
        <CopyButton text={command} what="Command" />
      </Row>
      <CodeBlock label="Command" wrap rows={6}>
        {command}
      </CodeBlock>
    </Stack>
  )
}
