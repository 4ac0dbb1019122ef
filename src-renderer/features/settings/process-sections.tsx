/** The sections of the receiver and the sandbox: their state and their settings. */
import type { SandboxState } from '../../../src-preload/contract/sandbox.ts'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import { readBytes, parseInteger, writeBytes } from '../../app/use-form.ts'
import { useData } from '../../app/bridge.ts'
import { rotateReceiverToken } from '../../app/receiver-state.ts'
import { routeHref, sandboxHome } from '../../app/route.ts'
import { restartSandbox, startSandbox, stopSandbox } from '../../app/sandbox-state.ts'
import { ReceiverFacts, ReceiverSwitch, StatusTag } from '../../components/status-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { Row, Stack, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import {
  SavedSwitch,
  SavedText,
  SettingsSection,
  saverOf,
  valid,
} from '../../components/settings.tsx'
import { SampleCommand } from '../../components/start/first-capture.tsx'

const readPort = (text: string) => valid(parseInteger(text), 'Enter a number from 1024 to 65535.')
const saveReceiver = saverOf('receiver')
const saveSandbox = saverOf('sandbox')

/** Describes the port in use if it differs from the setting; otherwise returns null. */
function describePort(port: number | null, setting: number, isForRun: boolean): string | null {
  if (port === null || port === setting) return null
  return isForRun
    ? `In use now: ${port}, chosen on the command line for this run.`
    : `In use now: ${port}, because another program uses port ${setting}.`
}

export function ReceiverSection({ settings: { receiver } }: { settings: Settings }) {
  const state = useData('receiver.state')
  const { port = null, isPortForRun = false } = state.data ?? {}
  const inForce = describePort(port, receiver.port, isPortForRun)
  return (
    <SettingsSection
      id="receiver"
      detail="The receiver accepts webhooks at a URL on this computer. It listens on 127.0.0.1 only, so deliveries from the internet need a tunnel."
    >
      <Loaded query={state} of="the state of the receiver" rows={2}>
        {(now) => (
          <Stack line="box" pad="m">
            <ReceiverFacts state={now} />
            <Row wrap>
              <StatusTag state={now} />
              {now.url !== null && (
                <CopyButton text={now.url} what="Receiver URL" label="Copy URL" />
              )}
              <ReceiverSwitch status={now.status} />
              <Button kind="danger" icon="key" onClick={() => void rotateReceiverToken()}>
                Rotate token…
              </Button>
            </Row>
            {now.url !== null && (
              <details>
                <Text as="summary" size="s">
                  Send a sample webhook
                </Text>
                <SampleCommand url={now.url} />
              </details>
            )}
          </Stack>
        )}
      </Loaded>
      <SavedText
        label="Port"
        short
        inForce={inForce}
        hint={
          inForce !== null && isPortForRun
            ? 'The setting applies as soon as you change it, or at the next start without that option.'
            : undefined
        }
        value={String(receiver.port)}
        save={(text) => saveReceiver('port', readPort(text))}
      />
      <SavedText
        label="Maximum body size"
        short
        inputMode="text"
        hint="A number with its unit: KiB, MiB or GiB. Larger requests get status 413, and only their beginning is stored."
        value={writeBytes(receiver.bodyLimitBytes)}
        save={(text) =>
          saveReceiver(
            'bodyLimitBytes',
            valid(readBytes(text), 'Enter a size with its unit, such as 1 MiB.'),
          )
        }
      />
      <SavedText
        label="Public URL"
        type="url"
        mono
        placeholder="https://example.ngrok.app"
        hint="Enter the URL of your tunnel, without the path that contains the token. Tondesk suggests this URL as the endpoint of new webhooks."
        value={receiver.publicUrl ?? ''}
        save={(text) => saveReceiver('publicUrl', text.trim() === '' ? null : text)}
      />
      <SavedSwitch
        label="Respond with 401 if the bearer token is wrong or missing"
        hint="This setting applies to webhook events as soon as you add a token below. Invoice deliveries have no bearer token and are always accepted. Rejected requests are still captured."
        value={receiver.rejectWrongToken}
        save={(value) => saveReceiver('rejectWrongToken', value)}
      />
      <SavedSwitch
        label="Start the receiver with Tondesk"
        value={receiver.listenAtStart}
        save={(value) => saveReceiver('listenAtStart', value)}
      />
    </SettingsSection>
  )
}

export function SandboxSection({ settings: { sandbox } }: { settings: Settings }) {
  const state = useData('sandbox.state')
  const forRun = useData('app.info').data?.forRun
  const query = state.data?.urls?.query
  const port = query === undefined ? null : Number(new URL(query).port)
  const isPortForRun = forRun !== undefined && forRun.sandboxPort !== null
  return (
    <SettingsSection
      id="sandbox"
      detail="The sandbox is a complete gateway on this computer, with a real TVM. It needs no internet connection, keys or money. If you change the port or the hosts, the sandbox restarts with the same chain."
    >
      <Loaded query={state} of="the state of the sandbox" rows={2}>
        {(now) => <Sandbox state={now} />}
      </Loaded>
      <SavedText
        label="Port"
        short
        inForce={describePort(port, sandbox.port, isPortForRun)}
        hint={
          isPortForRun ? 'The setting applies at the next start without that option.' : undefined
        }
        value={String(sandbox.port)}
        save={(text) => saveSandbox('port', readPort(text))}
      />
      <SavedText
        label="Allowed hosts"
        mono
        placeholder="example.com, staging.example.com"
        hint="The sandbox delivers webhooks only to this computer and to these hosts. Enter hosts without ports, separated by commas."
        value={sandbox.allowHosts.join(', ')}
        save={(text) =>
          saveSandbox(
            'allowHosts',
            text.split(/[\s,;]+/).filter((host) => host !== ''),
          )
        }
      />
      <SavedSwitch
        label="Start the sandbox when it is the selected network"
        hint="The sandbox runs in its own process and takes 200 to 350 MB of memory. It starts with Tondesk or when you select its network."
        inForce={
          forRun?.startSandbox === false && sandbox.startWithApp
            ? 'Not started in this run, because Tondesk was started with --without-sandbox.'
            : null
        }
        value={sandbox.startWithApp}
        save={(value) => saveSandbox('startWithApp', value)}
      />
    </SettingsSection>
  )
}

function Sandbox({ state }: { state: SandboxState }) {
  const { status, problem, urls } = state
  return (
    <Stack line="box" pad="m">
      <Row wrap>
        <Text size="s">The sandbox is {state.status}.</Text>
        {urls !== null && (
          <Text mono over="break">
            {urls.query}
          </Text>
        )}
        {problem !== null && <Text tone="bad">{problem}</Text>}
      </Row>
      <Row wrap>
        {status === 'stopped' && (
          <Button icon="play" onClick={() => void startSandbox()}>
            Start
          </Button>
        )}
        {status === 'failed' && (
          <Button icon="refresh" onClick={() => void restartSandbox()}>
            Restart
          </Button>
        )}
        {(status === 'running' || status === 'starting') && (
          <Button icon="stop" onClick={() => void stopSandbox()}>
            Stop
          </Button>
        )}
        <a href={routeHref(sandboxHome)}>Open the Sandbox page</a>
      </Row>
    </Stack>
  )
}
