// For foreign.py: prints hashes of each password on standard input by packages of Go.
package main

import (
	"encoding/json"
	"log"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/bcrypt"
)

type group struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Hashes  []string `json:"hashes"`
}

func main() {
	var passwords []string
	check(json.NewDecoder(os.Stdin).Decode(&passwords))
	bcrypts := group{Name: "Go golang.org/x/crypto/bcrypt", Version: version("golang.org/x/crypto")}
	argons := group{Name: "Go github.com/alexedwards/argon2id", Version: version("github.com/alexedwards/argon2id")}
	costs := &argon2id.Params{Memory: 64, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	for _, password := range passwords {
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		check(err)
		bcrypts.Hashes = append(bcrypts.Hashes, string(hash))
		encoded, err := argon2id.CreateHash(password, costs)
		check(err)
		argons.Hashes = append(argons.Hashes, encoded)
	}
	check(json.NewEncoder(os.Stdout).Encode([]group{bcrypts, argons}))
}

func version(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		log.Fatal("no build information")
	}
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Path + " " + dependency.Version + ", " + runtime.Version()
		}
	}
	log.Fatalf("%s is not linked", module)
	return ""
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
