import { attempt, request, put, reload, useData } from '../app/bridge.ts'
import { Button } from '../ui/button.tsx'
import { Note, Row, Stack, Tag, Text } from '../ui/layout.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { showToast } from '../ui/toast.tsx'

/** Shows where secrets are stored, and what the user can do while the system's keychain is unavailable. */
export function KeychainState({ what }: { what: 'Keys' | 'Tokens' }) {
  return (
    <Loaded query={useData('secrets.state')} of="the state of the keychain" rows={1}>
      {({ place, problem }) => {
        if (place === 'keychain') {
          return (
            <Row wrap>
              <Tag tone="ok">keychain</Tag>
              <Text size="s">{what} are stored in the keychain of this system.</Text>
            </Row>
          )
        }
        return (
          <Note tone="warn">
            <Stack>
              <Row wrap>
                <Tag tone="warn">{place === 'session' ? 'this session only' : 'no keychain'}</Tag>
                {place === 'session'
                  ? `${what} are kept in memory and are lost when Tondesk quits.`
                  : `The keychain of this system is unavailable, and Tondesk never writes ${what.toLowerCase()} to a file.`}
              </Row>
              {problem !== null && <p>{problem}</p>}
              <Row wrap>
                {place === 'none' && (
                  <Button onClick={() => void keepForSession()}>
                    Keep keys and tokens in memory
                  </Button>
                )}
                <Button icon="refresh" onClick={() => void retryKeychain()}>
                  Try the keychain again
                </Button>
              </Row>
            </Stack>
          </Note>
        )
      }}
    </Loaded>
  )
}

async function keepForSession(): Promise<void> {
  const next = await attempt('Could not keep keys and tokens in memory', () =>
    request('secrets.useSessionOnly'),
  )
  if (next !== undefined) put('secrets.state', undefined, next)
}

async function retryKeychain(): Promise<void> {
  const next = await attempt('Could not try the keychain', () => request('secrets.retryKeychain'))
  if (next === undefined) return
  put('secrets.state', undefined, next)
  reload('webhookToken.list')
  if (next.place !== 'keychain') {
    showToast({
      title: 'The keychain is still unavailable',
      ...(next.problem !== null && { detail: next.problem }),
    })
  }
}
