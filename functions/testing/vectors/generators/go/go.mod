module saltern/vectors

go 1.26.0

require (
	github.com/alexedwards/argon2id v1.0.0
	golang.org/x/crypto v0.58.0
)

require golang.org/x/sys v0.49.0 // indirect
