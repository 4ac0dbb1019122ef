/** The receiver and the sandbox: how each of them runs, and its settings. */
import type { SandboxState } from '../../../src-preload/contract/sandbox.ts'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import { joinBytes, readWhole, splitBytes } from '../../app/use-form.ts'
import { useData } from '../../app/bridge.ts'
import { rotateReceiverToken } from '../../app/receiver-state.ts'
import { printRoute, sandboxHome } from '../../app/route.ts'
import { restartSandbox, startSandbox, stopSandbox } from '../../app/sandbox-state.ts'
import { ReceiverFacts, ReceiverSwitch, StatusTag } from '../../components/status-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { Row, Stack, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Switch, TextField } from '../../ui/form.tsx'
import { BytesField, SettingsForm, SettingsSection, toggleOf, useSettingsForm } from './section.tsx'

const portError = 'Enter a number from 1024 to 65535.'

export function ReceiverSection({ settings }: { settings: Settings['receiver'] }) {
  const receiver = useData('receiver.state')
  const initial = {
    port: String(settings.port),
    bodyLimitBytes: splitBytes(settings.bodyLimitBytes),
    publicUrl: settings.publicUrl ?? '',
    rejectWrongToken: settings.rejectWrongToken,
    listenAtStart: settings.listenAtStart,
  }
  const form = useSettingsForm('receiver', settings, initial, (values, check) => {
    const { port, bodyLimitBytes: limit, publicUrl } = values
    return {
      ...values,
      port: check('port', readWhole(port), portError),
      bodyLimitBytes: check(
        'bodyLimitBytes',
        joinBytes(limit),
        'Enter a number, such as 1 or 0.5.',
      ),
      publicUrl: publicUrl.trim() === '' ? null : publicUrl,
    }
  })
  const portForRun = receiver.data?.isPortForRun === true ? receiver.data.port : null
  return (
    <SettingsSection
      id="receiver"
      detail="The receiver accepts webhooks at a URL on this computer. It listens on 127.0.0.1 only, so deliveries from the internet need a tunnel."
    >
      <Loaded query={receiver} of="the state of the receiver" rows={2}>
        {(state) => (
          <Stack line="box" pad="m">
            <ReceiverFacts state={state} />
            <Row wrap>
              <StatusTag state={state} />
              {state.url !== null && (
                <CopyButton text={state.url} what="Receiver URL" label="Copy URL" />
              )}
              <ReceiverSwitch status={state.status} />
              <Button kind="danger" icon="key" onClick={() => void rotateReceiverToken()}>
                Rotate token…
              </Button>
            </Row>
          </Stack>
        )}
      </Loaded>
      <SettingsForm form={form}>
        <TextField
          label="Port"
          short
          hint={
            portForRun === null
              ? undefined
              : `In use now: ${portForRun}, chosen on the command line for this run. This setting applies as soon as you change it, or at the next start without that option.`
          }
          {...form.field('port')}
        />
        <BytesField label="Maximum body size" {...form.field('bodyLimitBytes')} />
        <TextField
          label="Public URL"
          type="url"
          mono
          placeholder="https://example.ngrok.app"
          hint="Enter the URL of your tunnel, without the path that contains the token. Tondesk suggests this URL as the endpoint of new webhooks."
          {...form.field('publicUrl')}
        />
        <Switch
          label="Respond with 401 if the bearer token is wrong or missing"
          hint="The receiver responds with 401 to webhook events without the right token once you add a token below. It still captures those requests. Invoice deliveries carry no bearer token, so the receiver accepts all of them."
          {...toggleOf(form, 'rejectWrongToken')}
        />
        <Switch label="Start the receiver with Tondesk" {...toggleOf(form, 'listenAtStart')} />
      </SettingsForm>
    </SettingsSection>
  )
}

export function SandboxSection({ settings }: { settings: Settings['sandbox'] }) {
  const initial = {
    port: String(settings.port),
    allowHosts: settings.allowHosts.join(', '),
    startWithApp: settings.startWithApp,
  }
  const form = useSettingsForm('sandbox', settings, initial, (values, check) => ({
    ...values,
    port: check('port', readWhole(values.port), portError),
    allowHosts: values.allowHosts.split(/[\s,;]+/).filter((host) => host !== ''),
  }))
  return (
    <SettingsSection
      id="sandbox"
      detail="The sandbox is a complete gateway on this computer, with a real TVM. It needs no internet connection, keys or money. If you change the port or the hosts, the sandbox restarts with the same chain."
    >
      <Loaded query={useData('sandbox.state')} of="the state of the sandbox" rows={2}>
        {(state) => <Sandbox state={state} />}
      </Loaded>
      <SettingsForm form={form}>
        <TextField label="Port" short {...form.field('port')} />
        <TextField
          label="Allowed hosts"
          mono
          placeholder="example.com, staging.example.com"
          hint="The sandbox delivers webhooks only to this computer and to these hosts. Enter hosts without ports, separated by commas."
          {...form.field('allowHosts')}
        />
        <Switch
          label="Start the sandbox with Tondesk"
          hint="The sandbox runs in its own process and takes 200 to 350 MB of memory."
          {...toggleOf(form, 'startWithApp')}
        />
      </SettingsForm>
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
        <a href={printRoute(sandboxHome)}>Open the Sandbox page</a>
      </Row>
    </Stack>
  )
}
