/** For each case of the suite a broken adapter that no other case notices, as `kind: what it says`. */
export const alone: Readonly<Record<string, string>> = {
  'the operations have the names that the library calls': 'detached calls: useVerificationToken is misspelt',
  'the operations are properties of the adapter itself': 'detached calls: the operations are hidden from Object.keys',
  'createUser returns and stores every field, also an empty one': 'falsy values: createUser stores what is undefined as text',
  'createUser makes an id where it is given none': 'fields: createUser gives undefined for emailVerified',
  'emailVerified is null, and not left out, until there is a date': 'fields: getUser gives undefined for emailVerified',
  'createUser makes a new id for each user, also for many at once': 'fields: createUser gives users who come at once one id',
  'createUser takes properties that it does not know': 'fields: createUser refuses a property that it does not know',
  'createUser refuses an address that is taken, and leaves its user alone':
    'indexes: createUser gives the user of a taken address that is not verified',
  'createUser refuses an id that is taken, or makes another': 'uniqueness: createUser overwrites the user of an id that is taken',
  'a user without an address is refused, or found by no address':
    'one situation: createUser stores a missing address as the text undefined',
  'getUser finds nobody by an unknown or malformed id': 'fields: getUser finds users by their address, too',
  'getUserByEmail finds nobody by an unknown address': 'fields: getUserByEmail finds somebody by the domain',
  'getUserByAccount finds the owner by provider and id together':
    'one situation: getUserByAccount takes the first of several accounts with one id',
  'getUserByAccount finds nobody by an unknown account': 'fields: getUserByAccount exchanges its keys',
  'getUserByAccount finds the user by each of several accounts, of every type, also of one provider':
    'fields: getUserByAccount finds a user only by accounts at one provider',
  'updateUser changes each field that it is given, and nothing else':
    'life cycles: updateUser changes the address alone where it is given one',
  'updateUser stores empty texts, and null': 'falsy values: updateUser writes an empty name as null',
  'updateUser leaves a field alone for undefined': 'life cycles: updateUser with only undefined throws',
  'updateUser that changes nothing returns the user': 'life cycles: updateUser refuses a field that it does not know',
  'updateUser of an unknown user throws, and creates none': 'life cycles: updateUser of nobody creates a user',
  'updateUser refuses an address that is taken, and changes nobody':
    'contending writes: updateUser that is refused for its address has changed the other fields',
  'an address that was changed finds nobody, and is free for others': 'life cycles: an address that was changed stays taken',
  'deleteUser deletes the user, and does not mind an unknown one': 'life cycles: a deleted user can be changed',
  'one address makes one user, also when many are created at once': 'caches of wrappers: concurrent sign-ups share one flight',
  'linkAccount takes an account without tokens': 'fields: linkAccount stores a missing scope as the text undefined',
  'linkAccount stores every field, of accounts of every type': 'fields: linkAccount stores every account as oauth',
  'linkAccount stores and returns token_type in lower case': 'fields: linkAccount leaves token_type as it is',
  'linkAccount takes whatever else a token endpoint sends': 'fields: linkAccount refuses what it does not know',
  'linkAccount refuses an account of another user, and leaves it as it was':
    'uniqueness: linkAccount of an account of another user overwrites its tokens, and throws',
  'an account has one owner, also when many link it at once': 'uniqueness: linkAccount looks for the account first, and then stores',
  'an account that is linked again by its user is found once': 'uniqueness: linkAccount stores an account of its user a second time',
  'getAccount gives null for an unknown account': 'fields: getAccount takes any provider that it does not know',
  'getAccount takes the account id first, then the provider': 'fields: getAccount takes its parameters in either order',
  'an unlinked account can be linked again, also by another user': 'uniqueness: an unlinked account stays taken',
  'createSession returns the session': 'fields: createSession returns nothing',
  'getSessionAndUser gives each session with its user, however many accounts and sessions that has':
    'fields: getSessionAndUser finds no user who has two accounts',
  'getSessionAndUser gives null for an unknown session': 'fields: getSessionAndUser finds the sessions of a user by its id',
  'getSessionAndUser neither prolongs nor uses up a session': 'life cycles: getSessionAndUser uses the session up',
  'a session of nobody is refused, or gives null': 'life cycles: a session of nobody signs somebody in',
  'createSession refuses a token that is taken, and leaves its session alone':
    'joins and columns: a session token that is known moves to the new user',
  'one token makes one session, also when many are created at once': 'uniqueness: createSession looks for the token first, and then stores',
  'updateSession moves the expiry, later and earlier': 'life cycles: updateSession keeps a session for five minutes at least',
  'updateSession gives the session to another user where it is told so':
    'one situation: updateSession never changes the user, and nothing shows the session',
  'a session that is given to nobody is refused, left alone, or signs nobody in':
    'values: updateSession makes text of whatever it is given as the user',
  'updateSession that changes nothing leaves the session as it is': 'life cycles: updateSession refuses what it does not know',
  'updateSession of an unknown or deleted session gives nothing, and creates none':
    'life cycles: updateSession of an unknown session creates it',
  'deleteSession deletes the session, and does not mind an unknown one': 'life cycles: deleteSession of an empty token throws',
  'a verification token works once, also one that was created twice': 'life cycles: a token that is created twice works twice',
  'an address may have many verification tokens, and each of them works':
    'life cycles: createVerificationToken refuses the sixth token of an address',
  'useVerificationToken needs the address and the token of one row': 'one situation: useVerificationToken takes its keys in either order',
  'createAuthenticator returns the authenticator that is then found': 'one situation: createAuthenticator links the account as well',
  'an authenticator may have no transports': 'fields: createAuthenticator refuses transports that are undefined',
  'createAuthenticator takes properties that it does not know': 'fields: createAuthenticator refuses what it does not know',
  'createAuthenticator throws where the credential is known already':
    'uniqueness: createAuthenticator overwrites a credential of the same user',
  'one credential makes one authenticator, also when many are created at once':
    'uniqueness: createAuthenticator looks for the credential first, and then stores',
  'getAuthenticator gives null for an unknown credential': 'fields: getAuthenticator takes null for somebody',
  "listAuthenticatorsByUserId gives the user's authenticators, all of them and no others":
    'fields: listAuthenticatorsByUserId gives a page of 25',
  'listAuthenticatorsByUserId gives an empty list for an unknown user': 'fields: listAuthenticatorsByUserId throws for a malformed id',
  'updateAuthenticatorCounter sets the counter, up and down, and nothing else':
    'life cycles: updateAuthenticatorCounter throws where the counter goes down',
  'updateAuthenticatorCounter of an unknown credential throws, and creates none':
    'life cycles: updateAuthenticatorCounter of an unknown credential creates it',
  'updateUser changes its own row, and no other of the same user or of others': 'neighbours: updateUser changes everybody of the same name',
  'unlinkAccount takes away its own row, and no other of the same user or of others':
    'several accounts: unlinkAccount unlinks the accounts of others with the same id',
  'updateSession changes its own row, and no other of the same user or of others':
    'one situation: updateSession replaces another session of the user with the same expiry',
  'deleteSession takes away its own row, and no other of the same user or of others':
    'neighbours: deleteSession deletes sessions of the user that last for more than 70 days, too',
  'useVerificationToken takes away its own row, and no other of the same user or of others':
    'neighbours: useVerificationToken uses up that token of every address',
  'updateAuthenticatorCounter changes its own row, and no other of the same user or of others':
    'neighbours: updateAuthenticatorCounter counts for every authenticator of that account id',
  'a user keeps being there without accounts and sessions': 'one situation: a user whose last account was unlinked cannot sign in any more',
  'deleteUser leaves no account behind': 'breadth of deletions: deleteUser leaves accounts of type oidc',
  'deleteUser leaves no session behind': 'one situation: deleteUser leaves sessions that have expired',
  'deleteUser leaves no authenticator behind': 'breadth of deletions: deleteUser deletes one of two authenticators',
  'deleteUser leaves nothing behind, however much there is': 'one situation: deleteUser deletes a hundred sessions at most',
  'deleteUser leaves other users and all that is theirs alone': 'neighbours: deleteUser deletes every account of the same id',
  'deleteUser takes nothing of others whose addresses are like the one of the user':
    'breadth of deletions: deleteUser deletes the verification tokens of the address by a glob',
  'a user who was deleted can sign up again, as somebody new': 'wrappers: soft deletion: the account cannot be linked again',
  'a session that moved to another user stays when the first is deleted, and goes with the second':
    'indexes: deleteUser deletes the sessions that the user once had',
  'an account that another user linked stays when the first is deleted, and goes with the second':
    'indexes: deleteUser deletes the accounts that the user once had',
  'what is given to a user who was deleted signs nobody in': 'deleted users: a session of a deleted user signs it in',
  'an address that a user changed to is taken until the user is deleted': 'indexes: updateUser of a name frees the address',
  'verification tokens and users leave each other alone':
    'side effects: useVerificationToken of an expired token takes the verification away',
  'a session lasts until it expires, also where that was put off': 'expiry: a session that was prolonged is gone at its first expiry',
  'every operation gives empty values as they are': 'falsy values: linkAccount forgets an expires_at of 0',
  'operations work without this, as the library calls them': 'detached calls: getUser needs this',
  'operations take arguments that are frozen': 'arguments changed in place: operations put a mark on their arguments, and take it off',
  'operations take arguments that have no prototype': 'arguments changed in place: linkAccount asks its argument for its value',
  'the order of the properties of an argument does not matter':
    'one situation: useVerificationToken takes the values of its argument by their position',
  'one object can be the argument of many calls':
    'one situation: createAuthenticator takes an object that it has seen for the same authenticator',
  'what a caller does to its arguments later changes nothing': 'arguments changed in place: createSession keeps the date that it is given',
  'what a caller does to a result changes nothing': 'caches of wrappers: a caller that changes a listed authenticator changes the cache',
  'callers who look at once get rows of their own': 'caches of wrappers: concurrent reads share one object',
  'rows keep their fields when they are spread':
    'document stores: getSessionAndUser gives documents whose fields are getters of their class',
  'deleteUser returns the deleted user': 'returned rows: deleteUser returns nothing',
  'linkAccount returns the account': 'returned rows: linkAccount returns nothing',
  'createUser and linkAccount return what they stored, and not what they were given':
    'results: linkAccount gives what it was given, with what is not stored',
  'unlinkAccount returns the account that it removed': 'returned rows: unlinkAccount returns nothing',
  'updateSession returns the session': 'joins and columns: a session that changes nothing is not updated, and null comes',
  'deleteSession returns the deleted session': 'returned rows: deleteSession returns nothing',
  'createVerificationToken returns the token': 'fields: createVerificationToken returns the oldest token of the address',
  'an account leaves out what it was not given': 'absent fields: getAccount gives null for what is not there',
  'an authenticator leaves out transports that it was not given': 'absent fields: createAuthenticator gives null for transports',
  'getSessionAndUser gives an expired session, which the library then deletes':
    'life cycles: updateSession does not know an expired session',
  'useVerificationToken returns an expired token, which the library refuses, and deletes it':
    'life cycles: useVerificationToken does not delete an expired token',
  'a changed user is seen by every lookup': 'caches: a server does not hear that another changed a user',
  'a deleted user is seen by no lookup': 'caches: a server does not hear that another deleted the user of a session',
  'a user is found where nobody was found before': 'caches: getUser keeps that there was nobody',
  'an account is found where none was found before, and not once it is unlinked':
    'one situation: getAccount keeps that there was none where it was asked twice',
  'a verification token works wherever it is used, and only there': 'one situation: each server remembers tokens that were not there',
  'a session is found where none was found before, and not once it is deleted':
    'caches: a server does not hear that another deleted a session',
  'a changed session is seen at once': 'caches: a server does not hear that another changed a session',
  'an authenticator is found where none was found before': 'caches: getAuthenticator keeps that there was none',
  'a changed counter is seen at once': 'caches: a server does not hear that another counted',
  'a lookup gives the same the second time, whatever the fields hold': 'cache hits: getAuthenticator makes true of false',
  'a lookup that was made alone sees its user changed or deleted, in every row':
    'caches with an index: updateUser finds the address to forget among users who were looked up by id',
  'a value that another replaced can be written again': 'two servers: updateSession does not repeat what its server wrote last',
  'an update or a deletion returns the row as another left it': 'two servers: deleteUser returns the user as its server knew it',
  'of fifty that use one token at once, one gets it': 'races: useVerificationToken throws where another was faster',
  'of many that delete one session at once, one gets it': 'races: deleteSession reads the session, and then deletes it',
  'of many that unlink one account at once, one gets it': 'interleaved calls: two deletions of one account both get it',
  'of many that delete one user at once, one gets it': 'caches of wrappers: concurrent deletions of one user share one flight',
  'updates of different fields at once are all kept': 'races: updateUser reads the user, and then writes all of it',
  'updates of one session at once end with one of them, and lose no field': 'races: updateSession drops a session that many write at once',
  'updates of one counter at once end with one of them': 'races: updateAuthenticatorCounter throws where another counts',
  'an update that begins when another can be seen comes after it':
    'flights and batches: updateAuthenticatorCounter under way is shared by credential',
  'a lookup that crosses a change gives nobody the row as it was before, once the change is made':
    'crossing calls: getSessionAndUser fills its cache after the session was deleted',
  'a lookup that crosses the creation of its row does not hide it':
    'flights and batches: getSessionAndUser shares with those who ask after the creation that there was nothing',
  'of many who want one address at once, one gets it': 'contending writes: updateUser looks whether an address is free, and then writes',
  'a write undoes no other write that is made for the same user or address':
    'contending writes: deleteSession writes all sessions that it read, and loses what others created meanwhile',
  'calls that fail take nothing back that others wrote at the same time':
    'crossing calls: linkAccount that fails takes back the sessions that are being created',
  'a session that is deleted while it is prolonged stays deleted':
    'races: updateSession reads the session, and writes it back after it was deleted',
  'a user who is deleted while it is changed stays deleted':
    'interleaved calls: a new counter that was read before the deletion brings the authenticator back',
  'a sign-in that crosses deleteUser signs nobody in': 'races: createSession brings a user back that is deleted meanwhile',
  'rows that are written at once each get their own values':
    'neighbours: updateAuthenticatorCounter counts for every authenticator of the user',
  'rows of one user that are deleted at once all go':
    'contending writes: unlinkAccount writes all accounts that it read, and brings back what others deleted meanwhile',
  'tokens that are created at once for one address all work':
    'one situation: createVerificationToken refuses more than eight calls at once',
  'authenticators that are created at once for one user are all listed':
    'one situation: createAuthenticator refuses more than eight calls at once',
  'of more than a hundred lookups at once, the last one finds its row, too':
    'flights and batches: a batch of getSessionAndUser answers 100 calls',
  'lookups that are made at once get their own answers': 'races: getSessionAndUser keeps what it is looking for in one place',
  'no lookalike of an email address finds its user': 'exactness: getUserByEmail ignores accents in email',
  'no lookalike of a user id finds, changes or deletes the user': 'exactness: deleteUser treats base64url as base64 in id',
  'no lookalike of an account id finds or unlinks the account': 'exactness: getAccount ignores invisible characters in providerAccountId',
  'no lookalike of a provider finds or unlinks its account':
    'exactness: getUserByAccount ignores what stands after a plus sign in provider',
  'no lookalike of a session token finds, changes or deletes the session': 'exactness: updateSession ignores accents in sessionToken',
  'no lookalike of a verification token uses it': 'exactness: useVerificationToken normalises Unicode in token',
  'no lookalike of an address uses its verification token': 'exactness: useVerificationToken ignores padding in identifier',
  'no lookalike of a credential id finds or changes the authenticator':
    'exactness: updateAuthenticatorCounter decodes percent signs in credentialID',
  'createUser with a lookalike of a taken key is refused, or makes a row of its own':
    'one situation: createUser takes two numbers as email for one where an exponent makes them equal',
  'updateUser with a lookalike of a taken key is refused, or makes a row of its own':
    'one situation: updateUser takes two numbers as email for one where an exponent makes them equal',
  'linkAccount with a lookalike of a taken key is refused, or makes a row of its own':
    'one situation: linkAccount takes two numbers as providerAccountId for one where an exponent makes them equal',
  'createSession with a lookalike of a taken key is refused, or makes a row of its own':
    'one situation: createSession takes two numbers as sessionToken for one where an exponent makes them equal',
  'createVerificationToken with a lookalike of a taken key is refused, or makes a row of its own':
    'one situation: createVerificationToken writes a number without its exponent',
  'createAuthenticator with a lookalike of a taken key is refused, or makes a row of its own':
    'one situation: createAuthenticator takes two numbers as credentialID for one where an exponent makes them equal',
  'lookalikes of an email address can be users of their own': 'storage: addresses differ by more than case',
  'lookalikes of an account id can be accounts of their own': 'storage: account ids differ by more than trailing spaces',
  'lookalikes of a session token can be sessions of their own': 'storage: session tokens differ by more than accents',
  'updateUser changes an address by its case alone': 'small changes: updateUser ignores the case of an address',
  'a provider and an account id are two keys, however they are joined': 'exactness: accounts are stored under provider:id',
  'an address and a token are two keys, however they are joined': 'exactness: useVerificationToken joins its keys with a dash',
  'the hash of a session token or a verification token does not work in its place':
    'spellings: getSessionAndUser takes the hash of a token for the token, in base64',
  'one text may be the key of rows of every kind': 'one situation: createUser refuses an address that is the id of a user',
  'users whose ids begin alike are strangers': 'one situation: deleteUser deletes the sessions of users whose ids begin with its id',
  'what is given to a lookalike of a user is refused, or belongs to nobody': 'one situation: createSession cuts the user id at NUL',
  'an account keeps tokens and scopes of any length': 'storage: tokens have 16,000 characters at most',
  'a user keeps a long image, a long name, and any character': 'storage: images of 60,000 characters are refused',
  'an account id may have 1,364 characters, as a credential id can': 'storage: account ids of more than 1,100 characters are refused',
  'a credential id may have 1,364 characters, and a public key 6,000': 'storage: public keys of more than 4,000 characters are refused',
  'a counter goes up to 4,294,967,295': 'storage: a counter of more than 2,147,483,647 is refused',
  'an access token may expire after 2038': 'storage: expires_at ends in 2038',
  'dates keep their milliseconds, from 1970 to 9999: emailVerified': 'storage: emailVerified ends in 2038',
  'dates keep their milliseconds, from 1970 to 9999: sessions': 'storage: updateSession moves hours in summer',
  'dates keep their milliseconds, from 1970 to 9999: verification tokens': 'storage: verification tokens lose their milliseconds',
  'keys may have 255 characters of any kind: addresses': 'storage: addresses have 400 bytes at most',
  'keys may have 255 characters of any kind: verification tokens': 'storage: verification tokens have 400 bytes at most',
  'the id of a deleted user is not given to another': 'fields: createUser makes the next id after the highest',
  'rows are found among more than a hundred': 'one situation: getUserByEmail looks at the newest hundred users',
  'getUser by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: getUser drops a condition that is undefined',
  'getUser by a key that is no text touches no row': 'hostile keys: getUser makes text of whatever it is given as key',
  'getUser by text that cannot be stored finds nothing': 'hostile keys: getUser throws for a key of 80,000 characters',
  'getUserByEmail by undefined, null, an empty or a missing key touches no row':
    'one situation: getUserByEmail without parameters gives the first row',
  'getUserByEmail by a key that is no text touches no row': 'hostile keys: getUserByEmail makes text of whatever it is given as key',
  'getUserByEmail by text that cannot be stored finds nothing': 'hostile keys: getUserByEmail throws for a key of 80,000 characters',
  'getUserByAccount by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: getUserByAccount takes null for any value',
  'getUserByAccount by a key that is no text touches no row': 'hostile keys: getUserByAccount makes text of whatever it is given as key',
  'getUserByAccount by text that cannot be stored finds nothing': 'hostile keys: getUserByAccount throws for a key of 80,000 characters',
  'updateUser by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: updateUser drops a condition that is undefined',
  'updateUser by a key that is no text touches no row': 'hostile keys: updateUser makes text of whatever it is given as key',
  'updateUser by text that cannot be stored finds nothing': 'exactness: updateUser cuts a long key to the length of the column',
  'deleteUser by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: deleteUser takes null for any value',
  'deleteUser by a key that is no text touches no row': 'hostile keys: deleteUser takes an object for a condition, as query builders do',
  'deleteUser by text that cannot be stored finds nothing': 'hostile keys: deleteUser throws for a key of 80,000 characters',
  'unlinkAccount by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: unlinkAccount takes null for any value',
  'unlinkAccount by a key that is no text touches no row': 'hostile keys: unlinkAccount makes text of whatever it is given as key',
  'unlinkAccount by text that cannot be stored finds nothing': 'hostile keys: unlinkAccount throws for a key of 80,000 characters',
  'getAccount by undefined, null, an empty or a missing key touches no row':
    'one situation: getAccount without parameters gives the first row',
  'getAccount by a key that is no text touches no row': 'hostile keys: getAccount makes text of whatever it is given as key',
  'getAccount by text that cannot be stored finds nothing': 'hostile keys: getAccount throws for a key of 80,000 characters',
  'getSessionAndUser by undefined, null, an empty or a missing key touches no row':
    'one situation: getSessionAndUser without parameters gives the first row',
  'getSessionAndUser by a key that is no text touches no row': 'hostile keys: getSessionAndUser makes text of whatever it is given as key',
  'getSessionAndUser by text that cannot be stored finds nothing': 'hostile keys: getSessionAndUser throws for a key of 80,000 characters',
  'updateSession by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: updateSession takes null for any value',
  'updateSession by a key that is no text touches no row': 'hostile keys: updateSession makes text of whatever it is given as key',
  'updateSession by text that cannot be stored finds nothing': 'hostile keys: updateSession throws for a key of 80,000 characters',
  'deleteSession by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: deleteSession drops a condition that is undefined',
  'deleteSession by a key that is no text touches no row': 'hostile keys: deleteSession makes text of whatever it is given as key',
  'deleteSession by text that cannot be stored finds nothing': 'hostile keys: deleteSession throws for a key of 80,000 characters',
  'useVerificationToken by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: useVerificationToken takes null for any value',
  'useVerificationToken by a key that is no text touches no row':
    'hostile keys: useVerificationToken takes an object for a condition, as query builders do',
  'useVerificationToken by text that cannot be stored finds nothing':
    'hostile keys: useVerificationToken throws for a key of 80,000 characters',
  'getAuthenticator by undefined, null, an empty or a missing key touches no row':
    'one situation: getAuthenticator without parameters gives the first row',
  'getAuthenticator by a key that is no text touches no row': 'hostile keys: getAuthenticator makes text of whatever it is given as key',
  'getAuthenticator by text that cannot be stored finds nothing': 'hostile keys: getAuthenticator throws for a key of 80,000 characters',
  'listAuthenticatorsByUserId by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: listAuthenticatorsByUserId drops a condition that is undefined',
  'listAuthenticatorsByUserId by a key that is no text touches no row':
    'hostile keys: listAuthenticatorsByUserId makes text of whatever it is given as key',
  'listAuthenticatorsByUserId by text that cannot be stored finds nothing':
    'hostile keys: listAuthenticatorsByUserId throws for a key of 80,000 characters',
  'updateAuthenticatorCounter by undefined, null, an empty or a missing key touches no row':
    'undefined as a condition: updateAuthenticatorCounter takes null for any value',
  'updateAuthenticatorCounter by a key that is no text touches no row':
    'hostile keys: updateAuthenticatorCounter takes an object for a condition, as query builders do',
  'updateAuthenticatorCounter by text that cannot be stored finds nothing':
    'exactness: updateAuthenticatorCounter cuts a long key to the length of the column',
  'quotes, wildcards and comments find nothing':
    'hostile keys: deleteSession is open to injection through the character set of the connection',
  'names of object properties find nothing': 'key-value stores: a plain object as a map: inherited names are found as sessions',
  'a provider or an address may be called like a property of objects':
    'hostile keys: accounts are kept in plain objects by provider, where __proto__ is everybody’s',
  'a property called __proto__ changes no other object': 'values: createUser merges what it is given into an empty object',
  'text that is no Unicode never stands for what it would be stored as': 'hostile keys: lookups of sessions replace lone surrogates',
  'createUser stores texts of every kind as they are': 'garbling: createUser takes the text null for null',
  'createUser stores doubtful texts whole, or refuses them': 'garbling: createUser replaces lone surrogates',
  'createUser tells long keys apart that begin alike, or refuses them':
    'garbling: createUser cuts keys at 4,000 characters, and refuses more than 60,000',
  'updateUser stores texts of every kind as they are': 'garbling: updateUser makes a number of the text 007',
  'updateUser stores doubtful texts whole, or refuses them': 'garbling: updateUser replaces lone surrogates',
  'updateUser tells long keys apart that begin alike, or refuses them':
    'garbling: updateUser cuts keys at 4,000 characters, and refuses more than 60,000',
  'linkAccount stores texts of every kind as they are': 'garbling: linkAccount makes dates of texts that look like one',
  'linkAccount stores doubtful texts whole, or refuses them': 'garbling: linkAccount replaces lone surrogates',
  'linkAccount tells long keys apart that begin alike, or refuses them':
    'garbling: linkAccount cuts keys at 4,000 characters, and refuses more than 60,000',
  'createSession stores texts of every kind as they are': 'garbling: createSession takes a backslash for an escape',
  'createSession stores doubtful texts whole, or refuses them': 'garbling: createSession replaces lone surrogates',
  'createSession tells long keys apart that begin alike, or refuses them':
    'garbling: createSession cuts keys at 4,000 characters, and refuses more than 60,000',
  'createVerificationToken stores texts of every kind as they are': 'garbling: createVerificationToken decodes entities',
  'createVerificationToken stores doubtful texts whole, or refuses them': 'garbling: createVerificationToken replaces lone surrogates',
  'createVerificationToken tells long keys apart that begin alike, or refuses them':
    'garbling: createVerificationToken cuts keys at 4,000 characters, and refuses more than 60,000',
  'createAuthenticator stores texts of every kind as they are': 'garbling: createAuthenticator parses texts that are JSON',
  'createAuthenticator stores doubtful texts whole, or refuses them': 'garbling: createAuthenticator replaces lone surrogates',
  'createAuthenticator tells long keys apart that begin alike, or refuses them':
    'garbling: createAuthenticator cuts keys at 4,000 characters, and refuses more than 60,000',
  'every operation finds its row by keys of every kind': 'one situation: deleteSession decodes a token as a part of a URL',
  'createUser takes nothing for text that is none': 'wrong types: createUser stores an object as JSON',
  'updateUser takes nothing for text that is none': 'wrong types: updateUser stores an object as JSON',
  'linkAccount takes nothing for text that is none': 'wrong types: linkAccount stores an object as JSON',
  'createSession takes nothing for text that is none': 'wrong types: createSession stores an object as JSON',
  'createVerificationToken takes nothing for text that is none': 'wrong types: createVerificationToken stores an object as JSON',
  'createAuthenticator takes nothing for text that is none': 'wrong types: createAuthenticator stores an object as JSON',
  'linkAccount takes nothing for a number that is none': 'wrong types: linkAccount takes no number for none',
  'createAuthenticator takes nothing for a number that is none': 'wrong types: createAuthenticator counts in fractions',
  'createAuthenticator takes nothing for a boolean that is none': 'wrong types: createAuthenticator takes anything for true',
  'createUser takes nothing for a date that is none': 'wrong types: createUser makes a date of any text',
  'updateUser takes nothing for a date that is none': 'wrong types: updateUser takes an invalid date for now',
  'createSession takes nothing for a date that is none': 'wrong types: createSession makes a date of true',
  'createVerificationToken takes nothing for a date that is none': 'wrong types: createVerificationToken makes a date of any text',
  'linkAccount refuses a row without userId, type, provider, providerAccountId':
    'wrong types: linkAccount fills in type where it is missing',
  'createSession refuses a row without sessionToken, userId, expires': 'wrong types: createSession fills in userId where it is missing',
  'createVerificationToken refuses a row without identifier, token, expires':
    'wrong types: createVerificationToken fills in expires where it is missing',
  'createAuthenticator refuses a row without credentialID, userId, providerAccountId, credentialPublicKey, counter, credentialDeviceType, credentialBackedUp':
    'wrong types: createAuthenticator fills in credentialDeviceType where it is missing',
  'an account id that is a whole number means its text, or is refused': 'one situation: getUserByAccount finds nobody by a bigint',
  'updateSession takes nothing for a date that is none': 'wrong types: updateSession takes an invalid date for now',
  'updateAuthenticatorCounter takes nothing for a number that is none':
    'wrong types: updateAuthenticatorCounter takes what is no number for 0',
  'a row that is refused leaves nothing with the user who wanted it':
    'indexes: deleteUser deletes an authenticator that the user was refused',
  'what was refused is stored once it is corrected': 'refused calls: createSession keeps the token of a refused call as taken',
  'an update that is refused changes nothing, and the next one works':
    'refused calls: updateSession writes the user, and then the expiry that is refused',
  'the errors of createUser hold no address, name or image': 'secrets in errors: an error of createUser holds email in its message',
  'the errors of updateUser hold no address, name or image': 'secrets in errors: an error of updateUser holds email in its message',
  'the errors of linkAccount hold no token and no account id':
    'secrets in errors: an error of linkAccount holds access_token in its message',
  'the errors of createSession hold no session token': 'secrets in errors: an error of createSession holds sessionToken in a set',
  'the errors of updateSession hold no session token': 'secrets in errors: an error of updateSession holds sessionToken in its message',
  'the errors of createVerificationToken hold no token and no address':
    'secrets in errors: an error of createVerificationToken holds token in its message',
  'the errors of createAuthenticator hold no credential and no key':
    'secrets in errors: an error of createAuthenticator holds credentialID in its message',
  'the errors of updateAuthenticatorCounter hold no credential':
    'secrets in errors: an error of updateAuthenticatorCounter holds key in its message',
  'a user comes without tokens of its accounts and sessions': 'joins and columns: the user of a join holds the session token',
  'the errors of lookups and deletions hold no key': 'secrets in errors: getSessionAndUser throws for a key that is no text, and shows it',
}
