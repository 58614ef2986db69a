/** Providers that have another id in Better Auth. */
export const renamedProviders: Record<string, string> = { 'azure-ad': 'microsoft', 'microsoft-entra-id': 'microsoft' }

/** Providers of which both libraries store the same id of an account. */
export const knownProviders =
  'apple atlassian cognito discord dropbox facebook figma github gitlab google huggingface kakao line linkedin naver notion reddit roblox slack spotify tiktok twitch twitter vk wechat zoom'.split(
    ' ',
  )
